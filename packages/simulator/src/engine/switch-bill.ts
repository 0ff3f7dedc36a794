import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import type { Presence } from './cards.ts';
import { collectAndFollowUp } from './dunning.ts';
import { draftInvoice, finalizeInvoice } from './invoices.ts';
import { cardOf, refuseCharge } from './payments.ts';
import { applySwitch, type PlannedSwitch, prorationItems } from './plan-switch.ts';
import { setStatus } from './subscription-status.ts';

/** What a bill that cannot be paid means for the change (Stripe's `payment_behavior`). */
export type PaymentBehaviour = 'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete';

/**
 * Puts a planned switch into force: its waiting prorations, the subscription's row and the draft of what is billed
 * now. For use within the change of the row, so that one event tells of it all; answers the draft, or null.
 */
export function enforceSwitch(
  world: World,
  subscription: Stripe.Subscription,
  planned: PlannedSwitch,
): Stripe.Invoice | null {
  const scope = world.scopeOf(idOf(subscription.customer));
  const { now } = planned.asked;
  for (const item of prorationItems(world, subscription, planned)) {
    world.tables.invoice_items.insert(item);
    world.emit('invoiceitem.created', item, scope);
  }
  applySwitch(subscription, planned);
  if (!planned.isBilledNow) return null;
  return draftInvoice(world, subscription, {
    reason: 'subscription_update',
    period: { start: now, end: now },
    lines: planned.line === null ? [] : [planned.line],
    finalizesAt: null,
  });
}

/** Bills a switch's draft without the hour that renewals wait, and moves the subscription by what comes of it. */
export function billSwitch(
  world: World,
  subscription: Stripe.Subscription,
  draft: Stripe.Invoice,
  behaviour: PaymentBehaviour,
  presence: Presence,
): void {
  world.emit('invoice.created', draft, world.scopeOf(idOf(subscription.customer)));
  finalizeInvoice(world, draft);
  if (behaviour === 'default_incomplete' && draft.amount_due > 0) {
    setStatus(world, subscription, 'past_due');
    return;
  }
  collectAndFollowUp(world, draft, { presence });
}

/** What the request wants to happen when the bill cannot be paid. */
export function paymentBehaviour(named: string | undefined): PaymentBehaviour {
  if (named === 'pending_if_incomplete')
    throw invalidRequest(
      'The simulator keeps no pending updates. Use `payment_behavior=error_if_incomplete` to change nothing unless the card pays.',
      'payment_behavior',
    );
  return named === 'default_incomplete' || named === 'error_if_incomplete' ? named : 'allow_incomplete';
}

/**
 * For `error_if_incomplete`: refuses the change before anything is touched.
 * @throws StripeApiError 402 when the card would refuse a bill that is due at once, 400 without a card.
 */
export function refuseUnpaid(
  world: World,
  subscription: Stripe.Subscription,
  planned: PlannedSwitch,
  presence: Presence,
): void {
  const due =
    (planned.line?.amount ?? 0) + planned.prorations.reduce((sum, proration) => sum + proration.amount, 0);
  if (!planned.isBilledNow || due <= 0) return;
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const card = cardOf(world, customer, idOf(subscription.default_payment_method));
  if (card === null)
    throw invalidRequest(
      'This customer has no attached payment source or default payment method.',
      undefined,
      'resource_missing',
    );
  refuseCharge(world, card, due, presence);
}
