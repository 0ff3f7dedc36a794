import type { Action, History } from './action.ts';
import { playByHand } from './by-hand.ts';
import * as disputes from './play-disputes.ts';
import { importAccount } from './play-import.ts';
import * as purchases from './play-purchases.ts';
import * as subscriptions from './play-subscriptions.ts';
import { ProviderModel, type Sale } from './provider-model.ts';
import { customerObject, invoiceChargeObject } from './stripe-objects.ts';
import type { SubscriptionTruth } from './truth.ts';

/** Plays what happened at the provider; the model then holds the truth and every event of it. */
export function playHistory(uid: string, history: History): ProviderModel {
  const provider = new ProviderModel(uid);
  for (const { gap, action } of history) {
    provider.now += gap;
    play(provider, action);
  }
  return provider;
}

function play(provider: ProviderModel, action: Action): void {
  switch (action.do) {
    case 'import':
      importAccount(provider, action);
      break;
    case 'buy_pack':
      purchases.buyPack(provider, action);
      break;
    case 'buy_lifetime':
      purchases.buyLifetime(provider, action);
      break;
    case 'subscribe':
      subscriptions.subscribe(provider, action);
      break;
    case 'delete_customer':
      deleteCustomer(provider);
      break;
    case 'grant':
    case 'revoke':
      playByHand(provider, action);
      break;
    case 'noise':
      makeNoise(provider, action.kind);
      break;
    case 'refund':
    case 'refund_fails':
      playOnSale(provider, action);
      break;
    case 'dispute':
    case 'escalate':
    case 'close_dispute':
      playDispute(provider, action);
      break;
    default:
      playOnSubscription(provider, action);
  }
}

type OnSale = Extract<Action, { do: 'refund' | 'refund_fails' }>;
type OfDispute = Extract<Action, { do: 'dispute' | 'escalate' | 'close_dispute' }>;
type OnSubscription = Exclude<
  Action,
  | OnSale
  | OfDispute
  | {
      do:
        | 'import'
        | 'buy_pack'
        | 'buy_lifetime'
        | 'subscribe'
        | 'delete_customer'
        | 'noise'
        | 'grant'
        | 'revoke';
    }
>;

function playOnSale(provider: ProviderModel, action: OnSale): void {
  const on = (fits: (one: Sale) => boolean): Sale | undefined =>
    pick(action.of, [...provider.sales.values()].filter(fits));
  switch (action.do) {
    case 'refund': {
      const sale = on(purchases.refundable);
      if (sale !== undefined) purchases.refund(provider, sale, action.percent);
      break;
    }
    case 'refund_fails': {
      const sale = on((one) => one.refunds.length > 0 && one.dispute === null);
      if (sale !== undefined) purchases.refundFails(provider, sale);
      break;
    }
    default:
      action satisfies never;
  }
}

function playDispute(provider: ProviderModel, action: OfDispute): void {
  const on = (fits: (one: disputes.Disputable) => boolean, first?: 'sale' | 'invoice') =>
    pick(action.of, disputes.disputables(provider, first).filter(fits));
  switch (action.do) {
    case 'dispute': {
      const charge = on(disputes.isUndisputed, action.on);
      if (charge !== undefined) disputes.dispute(provider, charge, action);
      break;
    }
    case 'escalate': {
      const charge = on(disputes.isInquired);
      if (charge !== undefined) disputes.escalate(provider, charge);
      break;
    }
    case 'close_dispute': {
      const charge = on(disputes.isOpen);
      if (charge !== undefined) disputes.closeDispute(provider, charge, action.won);
      break;
    }
    default:
      action satisfies never;
  }
}

function playOnSubscription(provider: ProviderModel, action: OnSubscription): void {
  const one = pick(action.of, [...provider.subscriptions.values()].filter(canBe(provider, action)));
  if (one === undefined) return;
  switch (action.do) {
    case 'renew':
      subscriptions.renew(provider, one, action);
      break;
    case 'renewal_fails':
      subscriptions.renewalFails(provider, one);
      break;
    case 'recover':
      subscriptions.recover(provider, one);
      break;
    case 'give_up':
      subscriptions.giveUp(provider, one, action.to);
      break;
    case 'cancel':
      provider.change(one.id, { cancel: action.how });
      break;
    case 'uncancel':
      provider.change(one.id, { cancel: 'no' });
      break;
    case 'waver':
      subscriptions.waver(provider, one, action.times);
      break;
    case 'end_now':
      subscriptions.end(provider, one);
      break;
    case 'switch_plan':
      subscriptions.switchPlan(provider, one, action);
      break;
    case 'plan_change':
      subscriptions.planChange(provider, one, action);
      break;
    case 'unplan':
      subscriptions.unplan(provider, one, 'released');
      break;
    case 'switch_period':
      subscriptions.startPeriod(provider, one, { plan: action.plan, trialEnd: one.trialEnd });
      break;
    case 'end_trial':
      subscriptions.startPeriod(provider, one, { plan: one.plan, trialEnd: provider.now });
      break;
    case 'pause_collection': {
      const { behavior, days } = action;
      const resumesAt = days === null ? null : provider.now + days * 86_400_000;
      provider.change(one.id, { pause: { behavior, resumesAt } });
      break;
    }
    case 'resume_collection':
      provider.change(one.id, { pause: null });
      break;
    case 'pause':
      provider.change(one.id, { status: 'paused' });
      break;
    case 'resume':
      provider.change(one.id, { status: 'active' });
      break;
    default:
      action satisfies never;
  }
}

/** Which subscriptions an action can happen to. */
function canBe(provider: ProviderModel, action: OnSubscription): (one: SubscriptionTruth) => boolean {
  switch (action.do) {
    case 'recover':
      return (one) => !subscriptions.isOver(one) && (provider.openInvoices.get(one.id) ?? []).length > 0;
    case 'give_up':
      return (one) => one.status === 'past_due';
    case 'cancel':
    case 'waver':
      // A schedule owns how it goes on.
      return (one) => subscriptions.isLive(one) && one.cancel === 'no' && one.schedule === null;
    case 'plan_change':
      return (one) =>
        subscriptions.isLive(one) &&
        one.cancel === 'no' &&
        one.schedule === null &&
        (one.plan !== action.plan || one.quantity !== action.quantity);
    case 'unplan':
      return (one) => !subscriptions.isOver(one) && one.schedule !== null;
    case 'uncancel':
      return (one) => subscriptions.isLive(one) && one.cancel !== 'no';
    case 'end_now':
      return (one) => !subscriptions.isOver(one);
    case 'switch_plan':
      return (one) => subscriptions.isLive(one) && one.plan !== action.plan && one.schedule === null;
    case 'switch_period':
      return (one) => one.status === 'active' && one.plan !== action.plan && one.schedule === null;
    case 'end_trial':
      return (one) => one.status === 'trialing' && one.schedule === null;
    case 'resume':
      return (one) => one.status === 'paused';
    case 'renewal_fails':
    case 'pause_collection':
      return (one) => subscriptions.isLive(one) && one.pause === null;
    case 'resume_collection':
      return (one) => subscriptions.isLive(one) && one.pause !== null;
    case 'renew':
    case 'pause':
      return subscriptions.isLive;
    default:
      return action satisfies never;
  }
}

function pick<Thing>(of: number, things: readonly Thing[]): Thing | undefined {
  return things[of % Math.max(1, things.length)];
}

/** The provider cancels everything first. Whoever buys again gets a new customer. */
function deleteCustomer(provider: ProviderModel): void {
  const { customer } = provider;
  if (provider.changes.length === 0 && provider.before.size === 0) return;
  for (const one of provider.subscriptions.values()) {
    if (one.customer === customer && !subscriptions.isOver(one)) subscriptions.end(provider, one);
  }
  provider.report('customer.deleted', customerObject(provider.uid, customer), {
    tells: 'customer_deleted',
    customer,
  });
  provider.nextCustomer();
}

function makeNoise(provider: ProviderModel, kind: Extract<Action, { do: 'noise' }>['kind']): void {
  const { customer } = provider;
  switch (kind) {
    case 'manual_invoice': {
      const one = pick(0, [...provider.subscriptions.values()].filter(subscriptions.isLive));
      if (one !== undefined) subscriptions.payManualInvoice(provider, one);
      break;
    }
    case 'subscription_refund': {
      const charge = invoiceChargeObject(provider.id('sub'), customer);
      provider.report('charge.refunded', charge, { tells: 'nothing' });
      break;
    }
    case 'unknown_type': {
      const taxId = { id: provider.id('txi'), object: 'tax_id', customer };
      provider.report('customer.tax_id.created', taxId, { tells: 'nothing' });
      break;
    }
    default:
      kind satisfies never;
  }
}
