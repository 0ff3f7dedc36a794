import { HOUR } from '@extension-billing/contract/time';
import type { Action, InvoiceExtras } from './action.ts';
import { billOf } from './bills.ts';
import { MODEL_PLANS, TRIAL_LENGTH } from './catalog.ts';
import type { OpenInvoice, ProviderModel } from './provider-model.ts';
import { sessionObject } from './stripe-objects.ts';
import { type InvoiceTruth, invoiceObject, subscriptionObject } from './stripe-subscriptions.ts';
import type { SubscriptionTruth, UpgradeTruth } from './truth.ts';

type Of<Kind extends Action['do']> = Extract<Action, { do: Kind }>;

export const isOver = (one: SubscriptionTruth): boolean =>
  one.status === 'canceled' || one.status === 'incomplete_expired';
export const isLive = (one: SubscriptionTruth): boolean =>
  one.status === 'active' || one.status === 'trialing' || one.status === 'past_due';

export function subscribe(
  provider: ProviderModel,
  { plan, start, quantity = 1, addOn = false, currency = 'usd', discounted = false }: Of<'subscribe'>,
): void {
  const { uid, now } = provider;
  const beside = [...provider.subscriptions.values()].find(
    (one) => one.customer === provider.customer && !isOver(one),
  );
  const session = provider.id('cs');
  const trialEnd = start === 'trial' ? now + TRIAL_LENGTH : null;
  const state: SubscriptionTruth = {
    id: provider.id('sub'),
    customer: provider.customer,
    plan,
    bought: plan,
    quantity,
    addOn,
    status: start === 'trial' ? 'trialing' : 'incomplete',
    cancel: 'no',
    createdAt: now,
    periodStart: now,
    periodEnd: trialEnd ?? now + MODEL_PLANS[plan].length,
    trialEnd,
    pause: null,
    // The provider bills a customer in one currency at a time.
    currency: beside?.currency ?? currency,
    discounted,
    schedule: null,
  };
  provider.subscriptions.set(state.id, state);
  provider.report('customer.subscription.created', subscriptionObject(uid, state), {
    tells: 'subscription',
    state,
  });
  if (start === 'incomplete') provider.now += HOUR;
  if (start === 'expires') {
    provider.now += 23 * HOUR;
    provider.change(state.id, { status: 'incomplete_expired' });
    return;
  }
  if (start !== 'trial') provider.change(state.id, { status: 'active' });
  const paid = start === 'trial' ? 0 : billOf(state);
  payInvoice(provider, state.id, nextInvoice(provider, state), { reason: 'subscription_create', paid });
  provider.report('checkout.session.completed', sessionObject(uid, { subscription: state, session }), {
    tells: 'customer',
    customer: state.customer,
  });
}

/** The period that a subscription is in, as an invoice pays for it. */
function nextInvoice(provider: ProviderModel, state: SubscriptionTruth): OpenInvoice {
  return {
    invoice: provider.invoiceId(),
    invoiceCreated: provider.now,
    periodStart: state.periodStart,
    periodEnd: state.periodEnd,
  };
}

/** A part of a period, or something else. */
const PART = 900;

/** How an invoice is paid, beside the period that it is for. */
interface Payment {
  readonly reason: InvoiceTruth['reason'];
  readonly paid?: number;
  /** It pays for a whole period; else for a part of one, or for something else. */
  readonly whole?: boolean;
  readonly extras?: InvoiceExtras;
  /** How the subscription was before, if it is paid for a change within a period. */
  readonly from?: SubscriptionTruth;
}

function payInvoice(
  provider: ProviderModel,
  id: string,
  invoice: OpenInvoice,
  { reason, paid: said, whole = true, extras = 'none', from }: Payment,
): void {
  const state = provider.subscriptions.get(id);
  if (state === undefined) return;
  const paid = said ?? (whole ? billOf(state) : PART);
  const credits = MODEL_PLANS[state.plan].monthlyCredits * state.quantity;
  const [first, changes] = [reason === 'subscription_create', reason === 'subscription_update'];
  const grant = { ...invoice, subscription: id, credits, paid, first, changes };
  const truth = { ...grant, reason, whole, extras, subscriptionTruth: state, ...(from && { from }) };
  const object = invoiceObject(provider.uid, truth);
  provider.invoices.set(invoice.invoice, object);
  if (paid > 0) {
    const { customer } = state;
    provider.paidInvoices.set(invoice.invoice, {
      id: invoice.invoice,
      subscription: id,
      customer,
      amount: paid,
      upgrade: from === undefined ? null : upgradeOf(from, invoice),
      dispute: null,
    });
  }
  const lines = { ...object.lines, data: object.lines.data.slice(0, 10), has_more: extras === 'many' };
  provider.report(
    'invoice.paid',
    { ...object, lines },
    whole
      ? { tells: 'grant', grant, customer: state.customer }
      : { tells: 'customer', customer: state.customer },
  );
}

function upgradeOf({ id, plan, quantity }: SubscriptionTruth, invoice: OpenInvoice): UpgradeTruth {
  const { invoiceCreated: at, periodEnd: until } = invoice;
  return { subscription: id, at, until, before: { plan, quantity } };
}

/** The end of a period: what was to be cancelled ends, everything else goes on into the next period. */
function rollOver(
  provider: ProviderModel,
  state: SubscriptionTruth,
  status: string,
): SubscriptionTruth | null {
  provider.now = Math.max(provider.now, state.periodEnd);
  if (state.cancel !== 'no') {
    end(provider, state);
    return null;
  }
  const { schedule, periodEnd: periodStart } = state;
  if (schedule?.isReached === true) state = unplan(provider, state, 'completed');
  const { plan, quantity } = schedule?.isReached === false ? schedule : state;
  const period = { periodStart, periodEnd: periodStart + MODEL_PLANS[plan].length };
  const isChanged = schedule?.isReached === false;
  const reached = isChanged ? { plan, quantity, schedule: { ...schedule, isReached: true } } : {};
  const renewed = provider.change(state.id, { status, ...period, ...reached });
  if (isChanged) tellSchedule(provider, renewed, schedule.id, 'updated');
  return renewed;
}

/** From the end of the period on it is as planned. */
export function planChange(
  provider: ProviderModel,
  state: SubscriptionTruth,
  { plan, quantity }: Of<'plan_change'>,
): void {
  const id = provider.id('sched');
  const schedule = { id, plan, quantity, at: state.periodEnd, isReached: false };
  tellSchedule(provider, provider.change(state.id, { schedule }), id, 'created');
}

/** The schedule lets go: it stays as it is now. */
export function unplan(
  provider: ProviderModel,
  state: SubscriptionTruth,
  as: 'released' | 'completed',
): SubscriptionTruth {
  const { id = '' } = state.schedule ?? {};
  const now = provider.change(state.id, { schedule: null });
  tellSchedule(provider, now, id, as);
  return now;
}

function tellSchedule(
  provider: ProviderModel,
  state: SubscriptionTruth,
  schedule: string,
  what: 'created' | 'updated' | 'released' | 'completed' | 'canceled',
): void {
  const isOn = what === 'created' || what === 'updated';
  const { id: subscription, customer } = state;
  const object = { id: schedule, object: 'subscription_schedule', customer, metadata: {} };
  provider.report(
    `subscription_schedule.${what}`,
    { ...object, ...(isOn ? { subscription } : { subscription: null, released_subscription: subscription }) },
    { tells: 'schedule', state },
  );
}

export function renew(
  provider: ProviderModel,
  state: SubscriptionTruth,
  { invoiceDelay, extras }: Of<'renew'>,
): void {
  const renewed = rollOver(provider, state, state.pause === null ? 'active' : state.status);
  if (renewed === null) return;
  const invoice = nextInvoice(provider, renewed);
  if (renewed.pause !== null) {
    const open = provider.openInvoices.get(state.id) ?? [];
    // A draft may be paid later; what is void or uncollectible is not.
    if (renewed.pause.behavior === 'keep_as_draft') provider.openInvoices.set(state.id, [...open, invoice]);
    return;
  }
  provider.now += invoiceDelay;
  payInvoice(provider, state.id, invoice, { reason: 'subscription_cycle', ...(extras && { extras }) });
}

export function renewalFails(provider: ProviderModel, state: SubscriptionTruth): void {
  const renewed = rollOver(provider, state, 'past_due');
  if (renewed === null) return;
  const open = provider.openInvoices.get(state.id) ?? [];
  provider.openInvoices.set(state.id, [...open, nextInvoice(provider, renewed)]);
}

export function recover(provider: ProviderModel, state: SubscriptionTruth): void {
  const [oldest, ...others] = provider.openInvoices.get(state.id) ?? [];
  if (oldest === undefined) return;
  provider.openInvoices.set(state.id, others);
  payInvoice(provider, state.id, oldest, { reason: 'subscription_cycle' });
  if (others.length === 0 && state.status !== 'active') provider.change(state.id, { status: 'active' });
}

export function giveUp(provider: ProviderModel, state: SubscriptionTruth, to: Of<'give_up'>['to']): void {
  if (to === 'canceled') end(provider, state);
  else provider.change(state.id, { status: 'unpaid' });
}

export function end(provider: ProviderModel, state: SubscriptionTruth): void {
  const { schedule } = state;
  const by = { status: 'canceled', schedule: null };
  const ended = provider.change(state.id, by, 'customer.subscription.deleted');
  if (schedule !== null) tellSchedule(provider, ended, schedule.id, 'canceled');
}

/** Cancels and takes it back, each within milliseconds. */
export function waver(provider: ProviderModel, state: SubscriptionTruth, times: number): void {
  for (let time = 0; time < times; time += 1) {
    provider.change(state.id, { cancel: 'date' });
    provider.change(state.id, { cancel: 'no' });
  }
}

export function switchPlan(
  provider: ProviderModel,
  state: SubscriptionTruth,
  { plan, unpaid = false }: Of<'switch_plan'>,
): void {
  if (unpaid) {
    provider.change(state.id, { plan, status: 'past_due' });
    return;
  }
  const switched = provider.change(state.id, { plan });
  const payment: Payment = { reason: 'subscription_update', whole: false, from: state };
  payInvoice(provider, state.id, nextInvoice(provider, switched), payment);
}

/** A period begins now, whatever is left of the one before it. */
export function startPeriod(
  provider: ProviderModel,
  state: SubscriptionTruth,
  by: Pick<SubscriptionTruth, 'plan' | 'trialEnd'>,
): void {
  const { now } = provider;
  const period = { periodStart: now, periodEnd: now + MODEL_PLANS[by.plan].length };
  const begun = provider.change(state.id, { ...by, ...period, status: 'active' });
  payInvoice(provider, state.id, nextInvoice(provider, begun), { reason: 'subscription_update' });
}

export function payManualInvoice(provider: ProviderModel, state: SubscriptionTruth): void {
  payInvoice(provider, state.id, nextInvoice(provider, state), { reason: 'manual', whole: false });
}
