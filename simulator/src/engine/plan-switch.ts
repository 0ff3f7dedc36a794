import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { planOf } from '../objects/price.ts';
import type { World } from '../state/world.ts';
import { updateSubscription } from './subscription-status.ts';

/** Puts another price behind a subscription's item, from now on. */
export function switchPrice(
  world: World,
  subscription: Stripe.Subscription,
  items: Stripe.SubscriptionUpdateParams.Item[],
  _proration: string,
): void {
  const [change, ...more] = items;
  const [item] = subscription.items.data;
  if (change === undefined || item === undefined) return;
  if (more.length > 0 || (change.id === undefined && change.price !== undefined))
    throw invalidRequest(
      'The simulator has subscriptions with one item: name it by `items[0][id]`.',
      'items',
    );
  if (change.id !== undefined && change.id !== item.id)
    throw invalidRequest(`No such subscription item: '${change.id}'`, 'items[0][id]', 'resource_missing');
  const price =
    change.price === undefined ? item.price : world.tables.prices.named(change.price, 'items[0][price]');
  updateSubscription(world, subscription, () => {
    item.price = price;
    item.plan = planOf(price);
    item.quantity = change.quantity ?? item.quantity ?? 1;
  });
}
