import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { planOf } from '../prices/price.ts';
import { idOf, newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalOf, periodEnd } from './periods.ts';
import { currentPeriodEnd, updateSubscription } from './subscription.ts';

type Schedule = Stripe.SubscriptionSchedule;
type Phase = Stripe.SubscriptionSchedule.Phase;

interface PhaseGiven {
  currency: string;
  price: Stripe.Price;
  quantity: number;
  start: number;
  end: number;
}

export function makePhase({ currency, price, quantity, start, end }: PhaseGiven): Phase {
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    end_date: end,
    invoice_settings: null,
    items: [
      {
        billing_thresholds: null,
        discounts: [],
        metadata: {},
        plan: price.id,
        price: price.id,
        quantity,
        tax_rates: [],
      },
    ],
    metadata: {},
    on_behalf_of: null,
    proration_behavior: 'none',
    start_date: start,
    transfer_data: null,
    trial_end: null,
  };
}

interface ScheduleGiven {
  customer: string;
  phases: Phase[];
  billingMode: Schedule['billing_mode'];
  endBehavior: Schedule['end_behavior'];
  metadata: Record<string, string>;
  testClock: string | null;
}

/** A schedule that has not started: `beginSchedule` attaches it to its subscription. */
export function makeSchedule(now: number, given: ScheduleGiven): Schedule {
  return {
    id: newId('sub_sched'),
    object: 'subscription_schedule',
    application: null,
    billing_mode: given.billingMode,
    canceled_at: null,
    completed_at: null,
    created: now,
    current_phase: null,
    customer: given.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: given.endBehavior,
    livemode: false,
    metadata: given.metadata,
    pause_schedules: [],
    phases: given.phases,
    released_at: null,
    released_subscription: null,
    status: 'not_started',
    subscription: null,
    test_clock: given.testClock,
  };
}

/** Attaches a schedule to the subscription that it manages from now on, in its first phase. */
export function beginSchedule(world: World, schedule: Schedule, subscription: Stripe.Subscription): void {
  const [first] = schedule.phases;
  if (first === undefined) throw new Error(`${schedule.id} has no phases`);
  schedule.status = 'active';
  schedule.subscription = subscription.id;
  schedule.current_phase = { start_date: first.start_date, end_date: first.end_date };
  updateSubscription(world, subscription, (row) => {
    row.schedule = schedule.id;
  });
}

/** A schedule whose first phase is the period that a running subscription is in. */
export function scheduleFrom(
  world: World,
  subscription: Stripe.Subscription,
  metadata: Record<string, string> = {},
): Schedule {
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`${subscription.id} has no items`);
  const scope = world.scopeOf(idOf(subscription.customer));
  const made = world.tables.subscription_schedules.insert(
    makeSchedule(world.clock.now(scope), {
      customer: idOf(subscription.customer) ?? '',
      phases: [
        makePhase({
          currency: subscription.currency,
          price: item.price,
          quantity: item.quantity ?? 1,
          start: item.current_period_start,
          end: currentPeriodEnd(subscription),
        }),
      ],
      billingMode: subscription.billing_mode,
      endBehavior: 'release',
      metadata,
      testClock: scope,
    }),
  );
  beginSchedule(world, made, subscription);
  world.emit('subscription_schedule.created', made, scope);
  return made;
}

/** The schedule that a subscription hangs on; null where it has none. */
export function scheduleOf(world: World, subscription: Stripe.Subscription): Schedule | null {
  return world.tables.subscription_schedules.get(idOf(subscription.schedule)) ?? null;
}

/** The phase that has not begun yet; null where none is ahead. */
export function phaseAhead(world: World, subscription: Stripe.Subscription): Phase | null {
  const schedule = scheduleOf(world, subscription);
  if (schedule === null) return null;
  const reached = schedule.current_phase?.start_date ?? 0;
  return schedule.phases.find((phase) => phase.start_date > reached) ?? null;
}

/**
 * Plans another price for when the period ends, as the portal does where its configuration asks for that: a schedule
 * is made from the subscription and then given a second phase, so two events tell of it.
 */
export function planAtPeriodEnd(
  world: World,
  subscription: Stripe.Subscription,
  { price, quantity }: { price: Stripe.Price; quantity: number },
): Schedule {
  const interval = intervalOf(price.recurring);
  if (interval === null) throw new Error(`${subscription.id} cannot be scheduled`);
  const scope = world.scopeOf(idOf(subscription.customer));
  const start = currentPeriodEnd(subscription);
  const made = scheduleFrom(world, subscription);
  world.change('subscription_schedule.updated', made, scope, (row) => {
    row.phases.push(
      makePhase({
        currency: subscription.currency,
        price,
        quantity,
        start,
        end: periodEnd(start, interval, start),
      }),
    );
  });
  return made;
}

/** Detaches a schedule that is over from its subscription, which goes on as it is. */
function detach(world: World, schedule: Schedule): void {
  const subscription = world.tables.subscriptions.get(idOf(schedule.subscription));
  schedule.released_subscription = idOf(schedule.subscription);
  schedule.subscription = null;
  schedule.current_phase = null;
  if (subscription !== undefined && subscription.ended_at === null)
    updateSubscription(world, subscription, (row) => {
      row.schedule = null;
    });
}

/** Drops the phases ahead; the subscription goes on as it is. */
export function releaseSchedule(world: World, schedule: Schedule): void {
  const scope = world.scopeOf(idOf(schedule.customer));
  schedule.status = 'released';
  schedule.released_at = world.clock.now(scope);
  detach(world, schedule);
  world.emit('subscription_schedule.released', schedule, scope);
}

/** Ends a schedule whose last phase is over. */
export function completeSchedule(world: World, schedule: Schedule): void {
  const scope = world.scopeOf(idOf(schedule.customer));
  schedule.status = 'completed';
  schedule.completed_at = world.clock.now(scope);
  detach(world, schedule);
  world.emit('subscription_schedule.completed', schedule, scope);
}

/** Returns the schedule that ends its subscription at `at`, because its last phase is over then; null if none does. */
export function scheduleEndingAt(
  world: World,
  subscription: Stripe.Subscription,
  at: number,
): Schedule | null {
  const schedule = scheduleOf(world, subscription);
  if (schedule?.status !== 'active' || schedule.end_behavior !== 'cancel') return null;
  const isLast = phaseAhead(world, subscription) === null && (schedule.current_phase?.end_date ?? at) <= at;
  return isLast ? schedule : null;
}

/** The phase that begins where a period ends; null where none does. */
export function phaseBeginningAt(world: World, subscription: Stripe.Subscription, at: number): Phase | null {
  const ahead = phaseAhead(world, subscription);
  return ahead !== null && ahead.start_date <= at ? ahead : null;
}

/** The row's item becomes what the phase says; another interval begins its cycle there. */
export function applyPhase(world: World, row: Stripe.Subscription, phase: Phase): void {
  const [item] = row.items.data;
  const [given] = phase.items;
  if (item === undefined || given === undefined) throw new Error(`${row.id} has no items`);
  const price = world.tables.prices.known(idOf(given.price as string));
  const before = item.price.recurring;
  item.price = price;
  item.plan = planOf(price);
  item.quantity = given.quantity ?? 1;
  const isSameInterval =
    before?.interval === price.recurring?.interval &&
    before?.interval_count === price.recurring?.interval_count;
  if (!isSameInterval) row.billing_cycle_anchor = phase.start_date;
}

/** Says that a phase has begun, or that the last one is over. */
export function followSchedule(world: World, subscription: Stripe.Subscription, begun: Phase | null): void {
  const schedule = scheduleOf(world, subscription);
  if (schedule === null || schedule.status !== 'active') return;
  if (begun === null) {
    const end = schedule.current_phase?.end_date ?? 0;
    const [item] = subscription.items.data;
    if (item !== undefined && item.current_period_start >= end) completeSchedule(world, schedule);
    return;
  }
  world.change('subscription_schedule.updated', schedule, world.scopeOf(idOf(schedule.customer)), (row) => {
    row.current_phase = { start_date: begun.start_date, end_date: begun.end_date };
  });
}

/** @throws StripeApiError 400 where a schedule says how the subscription goes on */
export function refuseScheduled(subscription: Stripe.Subscription, what: string): void {
  const schedule = idOf(subscription.schedule);
  if (schedule !== null)
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any ${what} directly is not allowed. Please update the schedule instead.`,
    );
}
