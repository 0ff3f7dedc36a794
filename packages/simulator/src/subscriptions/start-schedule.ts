import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { mergedMetadata } from '../http/values.ts';
import { DRAFT_SECONDS } from '../invoices/collect.ts';
import { cardOf } from '../payments/attempt.ts';
import { priceForSale } from '../prices/price.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { type Interval, intervalOf, periodBoundary } from './periods.ts';
import { beginSchedule, makePhase, makeSchedule, scheduleFrom } from './schedules.ts';
import { startSubscription } from './start.ts';

type Schedule = Stripe.SubscriptionSchedule;
type Phase = Stripe.SubscriptionSchedule.Phase;
/** `iterations` is older than the pinned SDK; Stripe's CLI still sends it. */
type PhaseParams = Stripe.SubscriptionScheduleCreateParams.Phase & { iterations?: number };
export type ScheduleParams = Omit<Stripe.SubscriptionScheduleCreateParams, 'phases'> & {
  phases?: PhaseParams[];
};

const missing = (param: string) =>
  invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');

function durationGiven({ interval, interval_count: count }: NonNullable<PhaseParams['duration']>): Interval {
  const given = intervalOf({ interval, interval_count: count ?? 1 });
  if (given === null) throw invalidRequest('Invalid interval.', 'duration[interval]');
  return given;
}

/** The phase that begins at `start`. Without an end, a duration or iterations it lasts one interval of its price. */
function phaseGiven(world: World, params: PhaseParams, start: number, param: string): Phase {
  const [item, ...more] = params.items;
  if (item?.price === undefined) throw missing(`${param}[items]`);
  if (more.length > 0)
    throw invalidRequest('The simulator has subscriptions with one item.', `${param}[items]`);
  const price = priceForSale(world, item.price, `${param}[items][0][price]`);
  const interval = intervalOf(price.recurring);
  if (interval === null)
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      `${param}[items][0][price]`,
    );
  const { duration, end_date: endDate, iterations } = params;
  const end =
    typeof endDate === 'number'
      ? endDate
      : duration === undefined
        ? periodBoundary(start, interval, iterations ?? 1)
        : periodBoundary(start, durationGiven(duration), 1);
  if (end <= start) throw invalidRequest('A phase has to end after it starts.', `${param}[end_date]`);
  return makePhase({ currency: price.currency, price, quantity: item.quantity ?? 1, start, end });
}

/**
 * A schedule made through the API: from a running subscription, or with phases of its own that start now or later.
 *
 * @throws StripeApiError 400 for what Stripe refuses, or what the simulator doesn't have
 */
export function createSchedule(world: World, params: ScheduleParams): Schedule {
  const metadata = mergedMetadata(null, params.metadata);
  if (params.from_subscription !== undefined) {
    const subscription = world.tables.subscriptions.named(params.from_subscription, 'from_subscription');
    if (subscription.ended_at !== null || subscription.schedule !== null)
      throw invalidRequest(
        `You cannot create a schedule from \`${subscription.id}\`: it has ended or already has one.`,
        'from_subscription',
      );
    return scheduleFrom(world, subscription, metadata);
  }
  if (params.customer === undefined) throw missing('customer');
  const customer = world.tables.customers.named(params.customer, 'customer');
  const now = world.nowFor(customer.id);
  const start = params.start_date === undefined || params.start_date === 'now' ? now : params.start_date;
  if (start < now) throw invalidRequest('The simulator starts no schedule in the past.', 'start_date');
  const phases: Phase[] = [];
  for (const [index, phase] of (params.phases ?? []).entries())
    phases.push(phaseGiven(world, phase, phases.at(-1)?.end_date ?? start, `phases[${index}]`));
  if (phases.length === 0) throw missing('phases');
  const schedule = world.tables.subscription_schedules.insert(
    makeSchedule(now, {
      customer: customer.id,
      phases,
      billingMode: { flexible: null, type: 'flexible', updated_at: now },
      endBehavior: params.end_behavior ?? 'release',
      metadata,
      testClock: world.scopeOf(customer.id),
    }),
  );
  world.emit('subscription_schedule.created', schedule, world.scopeOf(customer.id));
  if (start === now) startSchedule(world, schedule);
  return schedule;
}

/** Starts the first phase: a subscription whose first invoice is a draft for an hour, as a renewal's is. */
export function startSchedule(world: World, schedule: Schedule): void {
  const customer = world.tables.customers.known(idOf(schedule.customer));
  const [phase] = schedule.phases;
  const [item] = phase?.items ?? [];
  if (phase === undefined || item === undefined) throw new Error(`${schedule.id} has no phases`);
  const price = world.tables.prices.known(idOf(item.price as string));
  const { subscription, invoice } = startSubscription(world, {
    customer,
    price,
    currency: phase.currency,
    quantity: item.quantity ?? 1,
    trialEnd: null,
    metadata: {},
    itemMetadata: {},
    description: null,
    paymentMethod: cardOf(world, customer, null)?.id ?? null,
    missingPaymentMethod: 'create_invoice',
    automaticTax: false,
    billingMode: 'flexible',
    statusWithoutTrial: 'active',
    discount: null,
    session: null,
  });
  invoice.auto_advance = true;
  invoice.automatically_finalizes_at = phase.start_date + DRAFT_SECONDS;
  invoice.next_payment_attempt = invoice.automatically_finalizes_at;
  beginSchedule(world, schedule, subscription);
  world.emit('subscription_schedule.updated', schedule, world.scopeOf(customer.id));
}
