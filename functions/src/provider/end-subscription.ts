import type { Stripe } from 'stripe';
import { type Ending, endingOf } from '../domain/subscription-fact.ts';
import type { Uid } from '../domain/uid.ts';
import { isMissing, isRefusedRequest } from './failure.ts';
import { listOwnSubscriptions } from './own-subscriptions.ts';
import { readSubscription } from './translate-subscription.ts';

/**
 * - `at_period_end`, `now`: this call ended it so.
 * - `over`: it had ended already.
 * - `refused`: the provider does not let it be ended so (a schedule owns it, say); a person has to look.
 */
export type Ended = Ending | 'over' | 'refused';

/**
 * Ends a subscription beside a lifetime plan. Safe to repeat. Nothing is refunded and nothing is billed.
 *
 * What is known of it may be old, so it is asked to end with its period first, which takes nothing from anybody; the
 * answer is its present state, and says whether it has to end at once.
 *
 * @throws the provider's error where it could not be asked; a later call tries again
 */
export async function endSubscription(stripe: Stripe, id: string): Promise<Ended> {
  try {
    return await endAs(stripe, await stripe.subscriptions.update(id, { cancel_at_period_end: true }));
  } catch (error) {
    if (isMissing(error)) return 'over';
    if (!isRefusedRequest(error)) throw error;
  }
  return endRefused(stripe, id);
}

/** One that has ended, or has not begun, takes no such change. */
async function endRefused(stripe: Stripe, id: string): Promise<Ended> {
  try {
    const now = await stripe.subscriptions.retrieve(id);
    const ending = endingOf({ ...readSubscription(now), cancel: false });
    if (ending === null) return 'over';
    return ending === 'now' ? await endAs(stripe, now) : 'refused';
  } catch (error) {
    if (isMissing(error)) return 'over';
    if (isRefusedRequest(error)) return 'refused';
    throw error;
  }
}

async function endAs(stripe: Stripe, now: Stripe.Subscription): Promise<Ended> {
  if (endingOf(readSubscription(now)) !== 'now') return 'at_period_end';
  await stripe.subscriptions.cancel(now.id, { invoice_now: false, prorate: false });
  return 'now';
}

/** Ids of the subscriptions of a customer that would charge this user again, as the provider has them now. */
export async function listBilling(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  project: string | null,
): Promise<readonly string[]> {
  const own = await listOwnSubscriptions(stripe, uid, customer, project);
  return own.filter((each) => endingOf(readSubscription(each)) !== null).map(({ id }) => id);
}
