import type Stripe from 'stripe';
import { cardGiven } from '../api/card-given.ts';
import { cardError, invalidRequest } from '../http/errors.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import type { World } from '../state/world.ts';
import { discountGiven } from './discounts.ts';
import { collectAndFollowUp } from './dunning.ts';
import { finalizeInvoice } from './invoices.ts';
import { attachCard, cardOf } from './payments.ts';
import { currentPeriodEnd, scheduleCancellation } from './subscription-cancel.ts';
import { startSubscription } from './subscription-start.ts';

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
function cancellationTime(params: Params, subscription: Stripe.Subscription, now: number): number | null {
  const { cancel_at: at } = params;
  if (typeof at !== 'number')
    return at !== undefined || params.cancel_at_period_end === true ? currentPeriodEnd(subscription) : null;
  if (at <= now) throw invalidRequest('`cancel_at` must be a timestamp in the future.', 'cancel_at');
  return at;
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
  const method = params.default_payment_method;
  const card = method === undefined ? null : cardGiven(world, method, customer.id, 'default_payment_method');
  if (card !== null && card.customer === null) attachCard(world, card, customer);
  const trialEnd = trialEndOf(params, now);
  const behaviour = params.payment_behavior ?? 'allow_incomplete';
  const charged = cardOf(world, customer, card?.id ?? null);
  if (charged === null && trialEnd === null && behaviour !== 'default_incomplete')
    throw invalidRequest(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.',
      undefined,
      'resource_missing',
    );
  const [discount] = params.discounts || [];
  const { subscription, invoice } = startSubscription(world, {
    customer,
    price: world.tables.prices.named(item.price, 'items[0][price]'),
    quantity: item.quantity ?? 1,
    trialEnd,
    metadata: mergedMetadata(null, params.metadata),
    description: params.description ?? null,
    paymentMethod: card?.id ?? null,
    missingPaymentMethod: params.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    automaticTax: params.automatic_tax?.enabled ?? false,
    billingMode: params.billing_mode?.type ?? 'flexible',
    statusWithoutTrial: 'incomplete',
    discount: discount === undefined ? null : discountGiven(world, discount, 'discounts[0]'),
    session: null,
  });
  for (const row of subscription.items.data) row.metadata = mergedMetadata(null, item.metadata);
  finalizeInvoice(world, invoice);
  const cancelsAt = cancellationTime(params, subscription, now);
  if (cancelsAt !== null)
    scheduleCancellation(world, subscription, {
      at: cancelsAt,
      byPeriodEndSwitch: params.cancel_at_period_end === true,
    });
  if (trialEnd === null && behaviour === 'default_incomplete') return subscription;
  const collected = collectAndFollowUp(world, invoice);
  if (collected.outcome === 'refused' && behaviour === 'error_if_incomplete') {
    const { code, declineCode, message } = collected.refusal;
    throw cardError({ charge: collected.charge.id, code, decline_code: declineCode, message });
  }
  return subscription;
}
