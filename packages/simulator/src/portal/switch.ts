import type Stripe from 'stripe';
import { StripeApiError } from '../http/errors.ts';
import { amountIn, supports } from '../prices/currencies.ts';
import type { World } from '../state/world.ts';
import { changeSubscription } from '../subscriptions/change.ts';
import { intervalOf } from '../subscriptions/periods.ts';
import { planAtPeriodEnd } from '../subscriptions/schedules.ts';

export type Features = Stripe.BillingPortal.Configuration.Features;

/** The prices that the portal's configuration lets a subscription be switched to. */
export function pricesToSwitchTo(
  world: World,
  features: Features,
  subscription: Stripe.Subscription,
): Stripe.Price[] {
  const { enabled, products, default_allowed_updates: allowed } = features.subscription_update;
  if (!enabled || !allowed.includes('price')) return [];
  const current = subscription.items.data[0]?.price.id;
  return (products ?? [])
    .flatMap((product) => product.prices)
    .filter((id) => id !== current)
    .map((id) => world.tables.prices.known(id))
    .filter((price) => price.active && supports(world, price, subscription.currency));
}

const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const;

function daysOf(price: Stripe.Price): number {
  const interval = intervalOf(price.recurring);
  return interval === null ? 0 : DAYS[interval.unit] * interval.count;
}

/** Whether the configuration puts this switch off until the period ends (`schedule_at_period_end`). */
export function isPutOff(
  world: World,
  { currency }: Stripe.Subscription,
  { subscription_update: { schedule_at_period_end: later } }: Features,
  { price: from, quantity = 1 }: Stripe.SubscriptionItem,
  to: Stripe.Price,
): boolean {
  return later.conditions.some(({ type }) =>
    type === 'shortening_interval'
      ? daysOf(to) < daysOf(from)
      : amountIn(world, to, currency) * quantity < amountIn(world, from, currency) * quantity,
  );
}

/** A switch that is made at once, as a change of the subscription. */
export function switchAtOnce(
  { subscription_update: update }: Features,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  price: Stripe.Price,
) {
  const endsTrial = subscription.status === 'trialing' && update.trial_update_behavior === 'end_trial';
  return {
    items: [{ id: item.id, price: price.id }],
    proration_behavior: update.proration_behavior,
    ...(update.billing_cycle_anchor === 'now' && { billing_cycle_anchor: { type: 'now' as const } }),
    ...(endsTrial && { trial_end: 'now' as const }),
  } satisfies Stripe.SubscriptionUpdateParams;
}

/** What came of a switch; a `refusal` changed nothing. */
type Switched =
  | { readonly kind: 'done' | 'planned' }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Switches a subscription's plan as the configuration says; not at all when its bill cannot be paid. */
export function switchInPortal(
  world: World,
  features: Features,
  subscription: Stripe.Subscription,
  wanted: string | null,
): Switched {
  const price = pricesToSwitchTo(world, features, subscription).find((row) => row.id === wanted);
  const [item] = subscription.items.data;
  if (price === undefined || item === undefined)
    return { kind: 'refused', code: 'feature_disabled', message: 'This plan cannot be chosen here.' };
  if (isPutOff(world, subscription, features, item, price)) {
    planAtPeriodEnd(world, subscription, { price, quantity: item.quantity ?? 1 });
    return { kind: 'planned' };
  }
  try {
    const change = switchAtOnce(features, subscription, item, price);
    // The portal lets the bank ask on its own page; here the customer has always confirmed.
    changeSubscription(
      world,
      subscription,
      { ...change, payment_behavior: 'error_if_incomplete' },
      'confirmed',
    );
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return { kind: 'refused', code: error.body.code ?? 'switch_refused', message: error.message };
  }
  return { kind: 'done' };
}
