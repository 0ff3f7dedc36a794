import type { Action } from './action.ts';
import { MODEL_PLANS, TRIAL_LENGTH } from './catalog.ts';
import type { OpenInvoice, ProviderModel } from './provider-model.ts';
import { type InvoiceTruth, invoiceObject, sessionObject, subscriptionObject } from './stripe-objects.ts';
import type { SubscriptionTruth } from './truth.ts';

type Of<Kind extends Action['do']> = Extract<Action, { do: Kind }>;

const HOUR = 3_600_000;

export const isOver = (one: SubscriptionTruth): boolean =>
  one.status === 'canceled' || one.status === 'incomplete_expired';
export const isLive = (one: SubscriptionTruth): boolean =>
  one.status === 'active' || one.status === 'trialing' || one.status === 'past_due';

export function subscribe(provider: ProviderModel, { plan, start }: Of<'subscribe'>): void {
  const { uid, now } = provider;
  const session = provider.id('cs');
  const trialEnd = start === 'trial' ? now + TRIAL_LENGTH : null;
  const state: SubscriptionTruth = {
    id: provider.id('sub'),
    customer: provider.customer,
    plan,
    status: start === 'trial' ? 'trialing' : 'incomplete',
    cancel: 'no',
    createdAt: now,
    periodStart: now,
    periodEnd: trialEnd ?? now + MODEL_PLANS[plan].length,
    trialEnd,
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
  payInvoice(provider, state.id, nextInvoice(provider, state), 'subscription_create', start !== 'trial');
  provider.report('checkout.session.completed', sessionObject(uid, { subscription: state, session }), {
    tells: 'customer',
    customer: state.customer,
  });
}

/** The period that a subscription is in, as an invoice pays for it. */
function nextInvoice(provider: ProviderModel, state: SubscriptionTruth): OpenInvoice {
  return {
    invoice: provider.id('in'),
    invoiceCreated: provider.now,
    periodStart: state.periodStart,
    periodEnd: state.periodEnd,
  };
}

function payInvoice(
  provider: ProviderModel,
  id: string,
  invoice: OpenInvoice,
  reason: InvoiceTruth['reason'],
  costs = true,
): void {
  const state = provider.subscriptions.get(id);
  if (state === undefined) return;
  const credits = MODEL_PLANS[state.plan].monthlyCredits;
  const grant = { ...invoice, subscription: id, credits };
  const resets = reason === 'subscription_create' || reason === 'subscription_cycle';
  provider.report(
    'invoice.paid',
    invoiceObject(provider.uid, { ...grant, reason, paid: costs ? 1900 : 0, subscriptionTruth: state }),
    resets
      ? { tells: 'grant', grant, customer: state.customer }
      : { tells: 'customer', customer: state.customer },
  );
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
  const periodEnd = state.periodEnd + MODEL_PLANS[state.plan].length;
  return provider.change(state.id, { status, periodStart: state.periodEnd, periodEnd });
}

export function renew(
  provider: ProviderModel,
  state: SubscriptionTruth,
  { invoiceDelay }: Of<'renew'>,
): void {
  const renewed = rollOver(provider, state, 'active');
  if (renewed === null) return;
  const invoice = nextInvoice(provider, renewed);
  provider.now += invoiceDelay;
  payInvoice(provider, state.id, invoice, 'subscription_cycle');
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
  payInvoice(provider, state.id, oldest, 'subscription_cycle');
  if (others.length === 0 && state.status !== 'active') provider.change(state.id, { status: 'active' });
}

export function giveUp(provider: ProviderModel, state: SubscriptionTruth, to: Of<'give_up'>['to']): void {
  if (to === 'canceled') end(provider, state);
  else provider.change(state.id, { status: 'unpaid' });
}

export function end(provider: ProviderModel, state: SubscriptionTruth): void {
  provider.change(state.id, { status: 'canceled' }, 'customer.subscription.deleted');
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
  plan: Of<'switch_plan'>['plan'],
): void {
  const switched = provider.change(state.id, { plan });
  payInvoice(provider, state.id, nextInvoice(provider, switched), 'subscription_update');
}

export function payManualInvoice(provider: ProviderModel, state: SubscriptionTruth): void {
  payInvoice(provider, state.id, nextInvoice(provider, state), 'manual');
}
