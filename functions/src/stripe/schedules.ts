import type { PlannedChange } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { isNotFound } from './client.ts';
import { idOf, readInstant, readMetadata, rowsOf } from './fields.ts';

/** A subscription's schedule with its phases' prices, as `WITH_PHASES` asks for it. */
export const WITH_PHASES = ['schedule.phases.items.price'];

/** A schedule that can still change its subscription. */
export function scheduleOf({ schedule }: Stripe.Subscription): Stripe.SubscriptionSchedule | null {
  if (schedule === null || typeof schedule !== 'object') return null;
  return schedule.status === 'active' || schedule.status === 'not_started' ? schedule : null;
}

/**
 * What a subscription changes to by its schedule, and when; null where it goes on as it is. Read with `WITH_PHASES`.
 * Another quantity of the same price is no change of plan.
 */
export function readPlanned(subscription: Stripe.Subscription): PlannedChange | null {
  const schedule = scheduleOf(subscription);
  if (schedule === null) return null;
  const running = rowsOf(subscription.items).map(({ price }) => price.id);
  const reached = schedule.current_phase?.start_date ?? 0;
  for (const { start_date: start, items } of schedule.phases) {
    const at = readInstant(start);
    if (at === null || start <= reached) continue;
    const next = items.map(({ price }) => price).find((price) => !running.includes(idOf(price) ?? ''));
    if (next !== undefined) return { plan: keyOf(next), at };
  }
  return null;
}

function keyOf(price: Stripe.SubscriptionSchedule.Phase['items'][number]['price']): string | null {
  if (typeof price === 'string' || 'deleted' in price) return null;
  return price.lookup_key ?? readMetadata(price.metadata).lookupKey ?? null;
}

/**
 * What a subscription changes to, as the provider has it now; null also where the provider has no such subscription.
 *
 * @throws the SDK's error where the provider cannot be asked
 */
export async function retrievePlanned(stripe: Stripe, id: string): Promise<PlannedChange | null> {
  try {
    return readPlanned(await stripe.subscriptions.retrieve(id, { expand: WITH_PHASES }));
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Takes a planned change back: the subscription goes on as it is. One that is over already is fine. */
export async function releaseSchedule(stripe: Stripe, subscription: Stripe.Subscription): Promise<boolean> {
  const schedule = idOf(subscription.schedule);
  if (schedule === null) return false;
  await stripe.subscriptionSchedules.release(schedule);
  return true;
}
