import { isRunning } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import { isSold } from '../domain/is-sold.ts';
import { parseUid, type Uid } from '../domain/uid.ts';
import { isUnknownCustomer } from './customers.ts';
import { readMetadata } from './metadata.ts';
import { isOfOtherProject } from './project-tag.ts';
import { readSubscription } from './translate-subscription.ts';

/**
 * The subscriptions of a customer that have not ended, as the provider has them now, without those of other projects and
 * other users. None for a customer that the provider does not know.
 *
 * @throws the SDK's error when the provider cannot be asked
 */
export async function listOwnSubscriptions(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  project: string | null,
): Promise<readonly Stripe.Subscription[]> {
  const own: Stripe.Subscription[] = [];
  try {
    for await (const subscription of stripe.subscriptions.list({ customer, limit: 100 })) {
      const owner = parseUid(readMetadata(subscription.metadata).uid) ?? uid;
      if (owner === uid && !isOfOtherProject(subscription, project)) own.push(subscription);
    }
  } catch (error) {
    if (isUnknownCustomer(error)) return [];
    throw error;
  }
  return own;
}

/** Whether one of them stands in the way of another plan. */
export async function hasRunningPlan(...asked: Parameters<typeof listOwnSubscriptions>): Promise<boolean> {
  const own = (await listOwnSubscriptions(...asked)).map(readSubscription);
  return own.some((state) => isSold(state) && isRunning(state.status));
}
