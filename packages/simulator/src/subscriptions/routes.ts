import type Stripe from 'stripe';
import { missingResource } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { mergedMetadata } from '../http/values.ts';
import type { World } from '../state/world.ts';
import { cancelNow, changeSubscription } from './change.ts';
import { createSubscription } from './create.ts';

const ID = 'subscription_exposed_id';

/** A subscription that can still be changed; Stripe no longer finds one that has ended. */
function liveInPath(world: World, id: string): Stripe.Subscription {
  const subscription = world.tables.subscriptions.inPath(id, 'id');
  if (subscription.ended_at !== null) throw missingResource('subscription', id, 'id', 404);
  return subscription;
}

/** An item and the live subscription that it is of. */
function ownerOfItem(world: World, wanted: string) {
  for (const subscription of world.tables.subscriptions.all()) {
    const item = subscription.items.data.find((row) => row.id === wanted);
    if (item !== undefined) return { subscription, item };
  }
  throw missingResource('subscription_item', wanted, 'item', 404);
}

export const subscriptionRoutes = [
  route<Stripe.SubscriptionListParams>('GET /v1/subscriptions', ({ world, params, path }) => {
    const { customer, price, status, test_clock: clock } = params;
    const rows = world.tables.subscriptions
      .newestFirst()
      .filter((row) => customer === undefined || row.customer === customer)
      .filter((row) => price === undefined || row.items.data.some((item) => item.price.id === price))
      .filter((row) =>
        clock === undefined ? customer !== undefined || row.test_clock === null : row.test_clock === clock,
      )
      .filter((row) => {
        if (status === 'all') return true;
        if (status === 'ended') return row.ended_at !== null;
        return status === undefined ? row.status !== 'canceled' : row.status === status;
      });
    return page(rows, params, path);
  }),
  route<Stripe.SubscriptionCreateParams>('POST /v1/subscriptions', ({ world, params }) =>
    createSubscription(world, params),
  ),
  route(`GET /v1/subscriptions/{${ID}}`, ({ world, id }) => world.tables.subscriptions.inPath(id(ID), 'id')),
  route<Stripe.SubscriptionUpdateParams>(`POST /v1/subscriptions/{${ID}}`, ({ world, id, params }) =>
    changeSubscription(world, liveInPath(world, id(ID)), params),
  ),
  route<Stripe.SubscriptionCancelParams>(`DELETE /v1/subscriptions/{${ID}}`, ({ world, id, params }) => {
    const subscription = liveInPath(world, id(ID));
    const details = params.cancellation_details;
    if (subscription.cancellation_details !== null && details !== undefined) {
      subscription.cancellation_details.comment = details.comment || null;
      subscription.cancellation_details.feedback = details.feedback || null;
    }
    cancelNow(world, subscription, {
      prorates: params.prorate ?? false,
      invoices: params.invoice_now ?? false,
    });
    return subscription;
  }),
  route<Stripe.SubscriptionItemListParams>('GET /v1/subscription_items', ({ world, params, path }) =>
    page(world.tables.subscriptions.named(params.subscription, 'subscription').items.data, params, path),
  ),
  route('GET /v1/subscription_items/{item}', ({ world, id }) => ownerOfItem(world, id('item')).item),
  route<Stripe.SubscriptionItemUpdateParams>(
    'POST /v1/subscription_items/{item}',
    ({ world, id, params }) => {
      const { subscription, item } = ownerOfItem(world, id('item'));
      const { price, quantity, metadata, proration_behavior, proration_date, payment_behavior, off_session } =
        params;
      if (metadata !== undefined) item.metadata = mergedMetadata(item.metadata, metadata);
      changeSubscription(world, subscription, {
        items: [{ id: item.id, ...(price && { price }), ...(quantity !== undefined && { quantity }) }],
        ...(proration_behavior && { proration_behavior }),
        ...(proration_date !== undefined && { proration_date }),
        ...(payment_behavior && { payment_behavior }),
        ...(off_session !== undefined && { off_session }),
      });
      return item;
    },
  ),
];
