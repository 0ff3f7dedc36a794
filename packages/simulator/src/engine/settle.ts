import type { ClockScope } from '../state/clock.ts';
import type { World } from '../state/world.ts';
import { Agenda } from './agenda.ts';
import { type Actor, actorOfInvoice, actorsOn } from './due.ts';

/**
 * Lets everything happen that is due on a clock until `until`, each at its own time, earliest first. What an
 * action changes about another's next time is seen when that one's turn comes; new invoices join at once.
 */
export function settle(world: World, scope: ClockScope, until: number): void {
  const agenda = new Agenda<Actor>();
  const plan = (actor: Actor): void => {
    const due = actor.due();
    if (due !== null && due.at <= until) agenda.add(due.at, actor);
  };
  for (const actor of actorsOn(world, scope)) plan(actor);
  for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
    const due = next.entry.due();
    if (due === null) continue;
    if (due.at > next.at) {
      plan(next.entry);
      continue;
    }
    const before = world.tables.invoices.size();
    world.clock.during(scope, due.at, due.run);
    for (const invoice of world.tables.invoices.since(before)) plan(actorOfInvoice(world, invoice));
    plan(next.entry);
  }
}

/** Moves the world's clock (not the test clocks) to a time ahead, and bills what falls due on the way. */
export function advanceWorld(world: World, to: number): number {
  const now = world.clock.now();
  if (to > now) {
    world.clock.during(null, now, () => settle(world, null, to));
    world.clock.advance(to - now);
  }
  return world.clock.now();
}
