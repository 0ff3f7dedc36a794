import type Stripe from 'stripe';
import { expireSession } from '../checkout/session.ts';
import { finalizeInvoice } from '../invoices/collect.ts';
import { collectAndFollowUp } from '../invoices/dunning.ts';
import { previewInvoice } from '../invoices/preview.ts';
import { closeDispute } from '../refunds-disputes/disputes.ts';
import { failRefund, REFUND_FAILS_AFTER } from '../refunds-disputes/refunds.ts';
import { idOf } from '../state/ids.ts';
import type { ClockScope, World } from '../state/world.ts';
import { renewSubscription } from '../subscriptions/start.ts';
import { startSchedule } from '../subscriptions/start-schedule.ts';
import { currentPeriodEnd, endSubscription } from '../subscriptions/subscription.ts';

/** Entries by time, the earliest first; of equal times the one that was added first (a binary heap). */
class Agenda<Entry> {
  private readonly heap: { at: number; order: number; entry: Entry }[] = [];
  private added = 0;

  add(at: number, entry: Entry): void {
    this.heap.push({ at, order: this.added, entry });
    this.added += 1;
    let index = this.heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.before(index, parent)) break;
      this.swap(index, parent);
      index = parent;
    }
  }

  /** Takes the earliest entry out; undefined when there is none. */
  next(): { at: number; entry: Entry } | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.sink();
    }
    return first;
  }

  private sink(): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      let least = index;
      if (left < this.heap.length && this.before(left, least)) least = left;
      if (right < this.heap.length && this.before(right, least)) least = right;
      if (least === index) return;
      this.swap(index, least);
      index = least;
    }
  }

  private before(a: number, b: number): boolean {
    const one = this.heap[a];
    const other = this.heap[b];
    if (one === undefined || other === undefined) return false;
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  private swap(a: number, b: number): void {
    const one = this.heap[a];
    const other = this.heap[b];
    if (one === undefined || other === undefined) return;
    this.heap[a] = other;
    this.heap[b] = one;
  }
}

/** Something that happens by itself at a time. */
interface Due {
  at: number;
  run: () => void;
}

const DAY = 86_400;
/** How long before a renewal its invoice is announced: a setting of the account at Stripe. */
const UPCOMING_DAYS = 7;

function announceInvoice(world: World, subscription: Stripe.Subscription, end: number): void {
  world.facts.upcomingAnnounced.set(subscription.id, end);
  const invoice = previewInvoice(world, { subscription: subscription.id });
  world.emit('invoice.upcoming', invoice, world.scopeOf(idOf(subscription.customer)));
}

/** A first invoice that is never paid ends its subscription after 23 hours. */
const INCOMPLETE_SECONDS = 23 * 3600;

function dueOfSubscription(world: World, subscription: Stripe.Subscription): Due | null {
  if (subscription.ended_at !== null || subscription.status === 'paused') return null;
  if (subscription.status === 'incomplete')
    return {
      at: subscription.created + INCOMPLETE_SECONDS,
      run: () => endSubscription(world, subscription, 'payment_failed', 'incomplete_expired'),
    };
  const end = currentPeriodEnd(subscription);
  const cancelAt = subscription.cancel_at;
  if (cancelAt !== null && cancelAt <= end)
    return { at: cancelAt, run: () => endSubscription(world, subscription, 'cancellation_requested') };
  const upcoming = end - UPCOMING_DAYS * DAY;
  const isLong = upcoming > (subscription.items.data[0]?.current_period_start ?? end);
  if (isLong && world.facts.upcomingAnnounced.get(subscription.id) !== end)
    return { at: upcoming, run: () => announceInvoice(world, subscription, end) };
  if (subscription.status === 'trialing' && !world.facts.trialEndAnnounced.has(subscription.id))
    return {
      at: Math.max(subscription.created, end - 3 * DAY),
      run: () => {
        world.facts.trialEndAnnounced.add(subscription.id);
        world.emit(
          'customer.subscription.trial_will_end',
          subscription,
          world.scopeOf(idOf(subscription.customer)),
        );
      },
    };
  return { at: end, run: () => renewSubscription(world, subscription) };
}

/** A schedule starts its subscription, whose next dates are its own from then on. */
function dueOfSchedule(world: World, schedule: Stripe.SubscriptionSchedule): Due | null {
  const [first] = schedule.phases;
  if (schedule.status === 'not_started' && first !== undefined)
    return { at: first.start_date, run: () => startSchedule(world, schedule) };
  const subscription = world.tables.subscriptions.get(
    idOf(schedule.subscription ?? schedule.released_subscription),
  );
  return subscription === undefined ? null : dueOfSubscription(world, subscription);
}

function customerOf(world: World, row: Stripe.Refund | Stripe.Dispute): Stripe.Charge['customer'] {
  return world.tables.charges.known(idOf(row.charge)).customer;
}

function dueOfRefund(world: World, refund: Stripe.Refund): Due | null {
  if (!world.facts.failingRefunds.has(refund.id)) return null;
  return { at: refund.created + REFUND_FAILS_AFTER, run: () => failRefund(world, refund) };
}

/** The bank decides as soon as time goes on. */
function dueOfDispute(world: World, dispute: Stripe.Dispute): Due | null {
  const decision = world.facts.disputeDecisions.get(dispute.id);
  if (decision === undefined) return null;
  return { at: decision.at, run: () => closeDispute(world, dispute, decision.status) };
}

function dueOfSession(world: World, session: Stripe.Checkout.Session): Due | null {
  return session.status === 'open'
    ? { at: session.expires_at, run: () => expireSession(world, session) }
    : null;
}

function dueOfInvoice(world: World, invoice: Stripe.Invoice): Due | null {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
    return {
      at: invoice.automatically_finalizes_at,
      run: () => {
        finalizeInvoice(world, invoice);
        collectAndFollowUp(world, invoice, { presence: 'away' });
      },
    };
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
    return {
      at: invoice.next_payment_attempt,
      run: () => {
        collectAndFollowUp(world, invoice, { presence: 'away' });
      },
    };
  return null;
}

/** Something that may have a next thing to do; null when it has none, now or (ended) for good. */
interface Actor {
  due: () => Due | null;
}

/** Everything on a clock that may have something ahead of it; at equal times the first comes first. */
function actorsOn(world: World, scope: ClockScope): Actor[] {
  const onClock = (customer: Stripe.Invoice['customer']): boolean => world.scopeOf(idOf(customer)) === scope;
  const invoices = world.tables.invoices.filter(
    (row) => (row.status === 'draft' || row.status === 'open') && onClock(row.customer),
  );
  const subscriptions = world.tables.subscriptions.filter(
    (row) => row.ended_at === null && onClock(row.customer),
  );
  const sessions = world.tables.checkout_sessions.filter(
    (row) => row.status === 'open' && onClock(row.customer),
  );
  const refunds = [...world.facts.failingRefunds].map((id) => world.tables.refunds.known(id));
  const failing = refunds.filter((row) => onClock(customerOf(world, row)));
  const disputes = [...world.facts.disputeDecisions.keys()].map((id) => world.tables.disputes.known(id));
  const decided = disputes.filter((row) => onClock(customerOf(world, row)));
  const schedules = world.tables.subscription_schedules.filter(
    (row) => row.status === 'not_started' && onClock(row.customer),
  );
  return [
    ...failing.map((row) => ({ due: () => dueOfRefund(world, row) })),
    ...decided.map((row) => ({ due: () => dueOfDispute(world, row) })),
    ...invoices.map((row) => ({ due: () => dueOfInvoice(world, row) })),
    ...subscriptions.map((row) => ({ due: () => dueOfSubscription(world, row) })),
    ...sessions.map((row) => ({ due: () => dueOfSession(world, row) })),
    ...schedules.map((row) => ({ due: () => dueOfSchedule(world, row) })),
  ];
}

/** An invoice that was made while others were being settled. */
function actorOfInvoice(world: World, invoice: Stripe.Invoice): Actor {
  return { due: () => dueOfInvoice(world, invoice) };
}

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
