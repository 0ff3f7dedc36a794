import type { ClockScope } from '../state/clock.ts';
import type { World } from '../state/world.ts';
import { dueOn } from './due.ts';

/** Lets everything happen that is due on a clock until `until`, each at its own time, earliest first. */
export function settle(world: World, scope: ClockScope, until: number): void {
  for (;;) {
    const next = dueOn(world, scope)
      .filter((due) => due.at <= until)
      .reduce(
        (earliest, due) => (earliest === null || due.at < earliest.at ? due : earliest),
        null as null | { at: number; run: () => void },
      );
    if (next === null) return;
    world.clock.during(scope, next.at, next.run);
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
