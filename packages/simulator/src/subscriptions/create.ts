import type Stripe from 'stripe';
import { refuseOtherCurrency } from '../customers/customer.ts';
import { invalidRequest } from '../http/errors.ts';
import { currencyGiven, mergedMetadata } from '../http/values.ts';
import { finalizeInvoice } from '../invoices/collect.ts';
import { collectAndFollowUp } from '../invoices/dunning.ts';
import { attachCard, cardOf, refuseCharge } from '../payments/attempt.ts';
import { cardGiven } from '../payments/methods.ts';
import { amountIn, refuseUnsupportedCurrency } from '../prices/currencies.ts';
import { amountOff, discountGiven } from '../prices/discounts.ts';
import { priceForSale } from '../prices/price.ts';
import type { World } from '../state/world.ts';
import { startSubscription } from './start.ts';
import { currentPeriodEnd, scheduleCancellation } from './subscription.ts';

type Params = Stripe.SubscriptionCreateParams;

function trialEndOf(params: Params, now: number): number | null {
  if (params.trial_end === 'now') return null;
  if (typeof params.trial_end === 'number') {
    if (params.trial_end <= now)
      throw invalidRequest(
        'Invalid timestamp: must be an integer Unix timestamp in the future.',
        'trial_end',
      );
    return params.trial_end;
  }
  return params.trial_period_days === undefined || params.trial_period_days === 0
    ? null
    : now + params.trial_period_days * 86_400;
}

/** When a subscription is to end that says so from the beginning; null for one that does not. */
function cancellationTime(params: Params, subscription: Stripe.Subscription): number | null {
  const { cancel_at: at } = params;
  if (typeof at === 'number') return at;
  return at !== undefined || params.cancel_at_period_end === true ? currentPeriodEnd(subscription) : null;
}

/**
 * A subscription made through the API: `trialing`, or `incomplete` until its first invoice is paid
 * (`payment_behavior` decides what a refusal means).
 */
export function createSubscription(world: World, params: Params): Stripe.Subscription {
  if (params.customer === undefined)
    throw invalidRequest('Missing required param: customer.', 'customer', 'parameter_missing');
  const customer = world.tables.customers.named(params.customer, 'customer');
  const [item, ...more] = params.items ?? [];
  if (item?.price === undefined)
    throw invalidRequest('Missing required param: items.', 'items', 'parameter_missing');
  if (more.length > 0) throw invalidRequest('The simulator has subscriptions with one item.', 'items');
  const now = world.nowFor(customer.id);
  const price = priceForSale(world, item.price, 'items[0][price]');
  if (price.recurring === null)
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      'items[0][price]',
    );
  const currency = params.currency === undefined ? price.currency : currencyGiven(params.currency);
  refuseUnsupportedCurrency(world, price, currency, 'items[0][price]');
  refuseOtherCurrency(world, customer.id, currency);
  const trialEnd = trialEndOf(params, now);
  const behaviour = params.payment_behavior ?? 'allow_incomplete';
  const method = params.default_payment_method;
  const card = method === undefined ? null : cardGiven(world, method, customer.id, 'default_payment_method');
  const charged = cardOf(world, customer, card?.id ?? null);
  if (charged === null && trialEnd === null && behaviour !== 'default_incomplete')
    throw invalidRequest(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.',
      undefined,
      'resource_missing',
    );
  if (typeof params.cancel_at === 'number' && params.cancel_at <= now)
    throw invalidRequest('`cancel_at` must be a timestamp in the future.', 'cancel_at');
  const [given] = params.discounts || [];
  const discount = given === undefined ? null : discountGiven(world, given, 'discounts[0]');
  const quantity = item.quantity ?? 1;
  const presence = params.off_session === true ? 'away' : 'there';
  const start = {
    customer,
    price,
    currency,
    quantity,
    trialEnd,
    metadata: mergedMetadata(null, params.metadata),
    itemMetadata: mergedMetadata(null, item.metadata),
    description: params.description || null,
    paymentMethod: card?.id ?? null,
    missingPaymentMethod: params.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    automaticTax: params.automatic_tax?.enabled ?? false,
    billingMode: params.billing_mode?.type ?? 'flexible',
    statusWithoutTrial: 'incomplete',
    discount,
    session: null,
    ...(params.payment_settings && { paymentSettings: params.payment_settings }),
  } as const;
  if (behaviour === 'error_if_incomplete' && trialEnd === null && charged !== null) {
    const full = amountIn(world, price, currency) * quantity;
    const off = discount === null ? 0 : amountOff(world.tables.coupons.known(discount.coupon), full);
    refuseCharge(world, charged, full - off + customer.balance, presence);
  }
  // Nothing is changed above this line: a refusal leaves everything as it was.
  if (card !== null && card.customer === null) attachCard(world, card, customer);
  const { subscription, invoice } = startSubscription(world, start);
  finalizeInvoice(world, invoice);
  const cancelsAt = cancellationTime(params, subscription);
  if (cancelsAt !== null)
    scheduleCancellation(world, subscription, {
      at: cancelsAt,
      byPeriodEndSwitch: params.cancel_at_period_end === true,
    });
  if (trialEnd !== null || behaviour !== 'default_incomplete')
    collectAndFollowUp(world, invoice, { presence });
  return subscription;
}
