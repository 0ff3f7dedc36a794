import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { mergedMetadata } from '../http/values.ts';
import { draftInvoice, finalizeInvoice, waitingItems } from '../invoices/collect.ts';
import { collectAndFollowUp } from '../invoices/dunning.ts';
import { makeProrationItem } from '../invoices/items.ts';
import { attachCard, cardOf, refuseCharge } from '../payments/attempt.ts';
import type { Presence } from '../payments/cards.ts';
import { cardGiven } from '../payments/methods.ts';
import { discountGiven, discountSubscription } from '../prices/discounts.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { unusedTime } from './proration.ts';
import { refuseScheduled } from './schedules.ts';
import { mayStartUnpaid } from './start.ts';
import {
  currentPeriodEnd,
  endSubscription,
  eraseCancellation,
  setStatus,
  updateSubscription,
  writeCancellation,
} from './subscription.ts';
import { applySwitch, type PlannedSwitch, planSwitch, prorationItems, switchAsked } from './switch.ts';

/** What a bill that cannot be paid means for the change (Stripe's `payment_behavior`). */
type PaymentBehaviour = 'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete';

/**
 * Puts a planned switch into force: its waiting prorations, the subscription's row and the draft of what is billed
 * now. For use within the change of the row, so that one event tells of it all; answers the draft, or null.
 */
function enforceSwitch(
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
function billSwitch(
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
function paymentBehaviour(named: string | undefined): PaymentBehaviour {
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
function refuseUnpaid(
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

type Params = Stripe.SubscriptionUpdateParams;

function details(params: Params): { feedback?: string; comment?: string } {
  const given = params.cancellation_details;
  return {
    ...(given?.feedback ? { feedback: given.feedback } : {}),
    ...(given?.comment ? { comment: given.comment } : {}),
  };
}

/** How the request changes the cancellation of a subscription's row; the row's periods are the new ones by then. */
function cancellationChange(params: Params, now: number): (row: Stripe.Subscription) => void {
  const at = params.cancel_at;
  if (params.cancel_at_period_end !== undefined && at !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: cancel_at, cancel_at_period_end.',
      'cancel_at',
    );
  if (typeof at === 'number' && at <= now)
    throw invalidRequest('`cancel_at` must be a timestamp in the future.', 'cancel_at');
  const byPeriodEndSwitch = params.cancel_at_period_end === true;
  const atPeriodEnd = byPeriodEndSwitch || at === 'min_period_end' || at === 'max_period_end';
  return (row) => {
    if (atPeriodEnd)
      writeCancellation(row, now, { at: currentPeriodEnd(row), byPeriodEndSwitch }, details(params));
    else if (typeof at === 'number')
      writeCancellation(row, now, { at, byPeriodEndSwitch: false }, details(params));
    else if (params.cancel_at_period_end === false || at === '') eraseCancellation(row);
  };
}

/** The switch that the request asks for, worked out and found possible; null when it asks for none. */
function plannedSwitch(
  world: World,
  subscription: Stripe.Subscription,
  params: Params,
  presence: Presence,
): PlannedSwitch | null {
  const asked = switchAsked(world, subscription, params);
  if (asked === null) return null;
  if (subscription.status === 'incomplete')
    throw invalidRequest(
      'This subscription is incomplete: pay its first invoice before changing its items.',
      'items',
    );
  const planned = planSwitch(world, subscription, asked);
  if (paymentBehaviour(params.payment_behavior) === 'error_if_incomplete')
    refuseUnpaid(world, subscription, planned, presence);
  return planned;
}

/** Whether the subscription goes on when its trial ends now: without a card that is the trial's own setting. */
function survives(world: World, subscription: Stripe.Subscription, planned: PlannedSwitch | null): boolean {
  if (planned?.trial?.status !== 'active') return true;
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const card = cardOf(world, customer, idOf(subscription.default_payment_method));
  return card !== null || mayStartUnpaid(world, subscription);
}

/** Settings that bill nothing by themselves: tax, the discount, what a trial without a card ends in. */
function changeSettings(world: World, row: Stripe.Subscription, params: Params): void {
  const { automatic_tax: tax, discounts, payment_settings: payment, trial_settings: trial } = params;
  const [given] = params.items ?? [];
  for (const item of row.items.data) item.metadata = mergedMetadata(item.metadata, given?.metadata);
  if (tax !== undefined)
    row.automatic_tax = {
      disabled_reason: null,
      enabled: tax.enabled,
      liability: tax.enabled ? { type: 'self' } : null,
    };
  if (trial !== undefined)
    row.trial_settings = {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: trial.end_behavior.missing_payment_method ?? 'create_invoice',
      },
    };
  if (row.payment_settings !== null && payment !== undefined) {
    if (payment.payment_method_types !== undefined)
      row.payment_settings.payment_method_types = payment.payment_method_types || null;
    row.payment_settings.save_default_payment_method =
      payment.save_default_payment_method ?? row.payment_settings.save_default_payment_method;
  }
  if (discounts === undefined) return;
  const [discount] = discounts || [];
  if (discount === undefined) row.discounts = [];
  else discountSubscription(world, row, discountGiven(world, discount, 'discounts[0]'), null);
}

/**
 * What `POST /v1/subscriptions/{id}` can change: plan and quantity with prorations, the billing cycle's anchor,
 * the trial's end, cancellation, metadata, card. One `customer.subscription.updated` tells of it all.
 *
 * @param presence whether the customer can confirm a bill at once (3-D Secure)
 */
export function changeSubscription(
  world: World,
  subscription: Stripe.Subscription,
  params: Params,
  presence: Presence = params.off_session === true ? 'away' : 'there',
): Stripe.Subscription {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  if (params.cancel_at !== undefined || params.cancel_at_period_end !== undefined)
    refuseScheduled(subscription, 'cancelation behavior');
  if (params.items !== undefined || params.trial_end !== undefined)
    refuseScheduled(subscription, 'items or trial (which the simulator does not do for its schedule)');
  const changeCancellation = cancellationChange(params, world.nowFor(customer.id));
  const planned = plannedSwitch(world, subscription, params, presence);
  const method = params.default_payment_method;
  const card =
    method === undefined || method === ''
      ? null
      : cardGiven(world, method, customer.id, 'default_payment_method');
  if (card !== null && card.customer === null) attachCard(world, card, customer);
  const goesOn = survives(world, subscription, planned);
  if (subscription.status === 'trialing' && planned?.trial?.status === 'active')
    world.emit('customer.subscription.trial_will_end', subscription, world.scopeOf(customer.id));
  const isCreditBilled = creditCancellation(world, subscription, params);
  const billed: Stripe.Invoice[] = [];
  updateSubscription(world, subscription, (row) => {
    row.metadata = mergedMetadata(row.metadata, params.metadata);
    if (params.description !== undefined) row.description = params.description || null;
    if (card !== null) row.default_payment_method = card.id;
    changeSettings(world, row, params);
    const draft = planned === null || !goesOn ? null : enforceSwitch(world, row, planned);
    const now = world.nowFor(customer.id);
    const credited =
      draft === null && isCreditBilled
        ? draftInvoice(world, row, {
            reason: 'subscription_update',
            period: { start: now, end: now },
            lines: [],
            finalizesAt: null,
          })
        : null;
    for (const one of [draft, credited]) if (one !== null) billed.push(one);
    if (goesOn) changeCancellation(row);
  });
  for (const draft of billed)
    billSwitch(world, subscription, draft, paymentBehaviour(params.payment_behavior), presence);
  return subscription;
}

/**
 * The credits for what a subscription will not use any more, not yet on record.
 *
 * @param from when it ends, in seconds; now if absent
 */
export function unusedItems(
  world: World,
  subscription: Stripe.Subscription,
  from?: number,
): Stripe.InvoiceItem[] {
  const customer = world.tables.customers.known(idOf(subscription.customer));
  const now = world.nowFor(customer.id);
  if (subscription.status === 'trialing') return [];
  return subscription.items.data.flatMap((item) => {
    const credit = unusedTime(world, subscription, item, from ?? now);
    return credit === null ? [] : [makeProrationItem(now, customer, subscription.currency, credit)];
  });
}

/** Takes back the credit for a cancellation within the period that no longer holds, if it wasn't billed yet. */
function dropCancellationCredit(world: World, subscription: Stripe.Subscription): void {
  const { cancel_at: at } = subscription;
  const waiting = waitingItems(world, subscription).filter(
    (row) => row.amount < 0 && row.period.start === at && row.parent?.subscription_details?.subscription_item,
  );
  for (const item of waiting) {
    world.tables.invoice_items.delete(item.id);
    world.emit('invoiceitem.deleted', item, world.scopeOf(idOf(subscription.customer)));
  }
}

/**
 * Puts the credit on record for what a `cancel_at` within the period leaves unused.
 *
 * @returns whether it's to be billed at once
 */
function creditCancellation(world: World, subscription: Stripe.Subscription, params: Params): boolean {
  const { cancel_at: at, proration_behavior: behaviour = 'create_prorations' } = params;
  if (at === undefined && params.cancel_at_period_end === undefined) return false;
  dropCancellationCredit(world, subscription);
  if (typeof at !== 'number' || at >= currentPeriodEnd(subscription) || behaviour === 'none') return false;
  const items = unusedItems(world, subscription, at);
  for (const item of items) {
    world.tables.invoice_items.insert(item);
    world.emit('invoiceitem.created', item, world.scopeOf(idOf(subscription.customer)));
  }
  return behaviour === 'always_invoice' && items.length > 0;
}

/** Ends a subscription now; with a credit for the unused time and a last invoice, where these are asked for. */
export function cancelNow(
  world: World,
  subscription: Stripe.Subscription,
  { prorates, invoices }: { prorates: boolean; invoices: boolean },
): void {
  const scope = world.scopeOf(idOf(subscription.customer));
  for (const item of prorates ? unusedItems(world, subscription) : []) {
    world.tables.invoice_items.insert(item);
    world.emit('invoiceitem.created', item, scope);
  }
  const last = invoices && waitingItems(world, subscription).length > 0;
  const now = world.clock.now(scope);
  const draft = last
    ? draftInvoice(world, subscription, {
        reason: 'manual',
        period: { start: now, end: now },
        lines: [],
        finalizesAt: null,
      })
    : null;
  endSubscription(world, subscription, 'cancellation_requested');
  if (draft === null) return;
  world.emit('invoice.created', draft, scope);
  finalizeInvoice(world, draft);
  collectAndFollowUp(world, draft, { presence: 'away' });
}
