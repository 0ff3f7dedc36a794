import { PLAN } from '@extension-billing/contract/test/catalog';
import type { Action } from './action.ts';
import { MODEL_LIFETIMES, MODEL_PACKS } from './catalog.ts';
import type { ProviderModel, Sale } from './provider-model.ts';
import { chargeObject, refundObject, sessionObject } from './stripe-objects.ts';
import type { PurchaseTruth } from './truth.ts';

type Of<Kind extends Action['do']> = Extract<Action, { do: Kind }>;

export function buyPack(provider: ProviderModel, { pack, pay }: Of<'buy_pack'>): void {
  const { lookupKey, credits, amount } = MODEL_PACKS[pack];
  const session = provider.id('cs');
  const isFree = pay === 'promotion';
  const purchase: PurchaseTruth = {
    id: isFree ? session : provider.id('pi'),
    customer: provider.customer,
    kind: 'pack',
    lookupKey,
    credits,
    grants: [],
    amount: isFree ? 0 : amount,
    paidAt: provider.now,
  };
  sell(provider, purchase, session, pay);
}

export function buyLifetime(provider: ProviderModel, { plan = PLAN.lifetime }: Of<'buy_lifetime'>): void {
  const { amount, grants } = MODEL_LIFETIMES[plan];
  const purchase: PurchaseTruth = {
    id: provider.id('pi'),
    customer: provider.customer,
    kind: 'lifetime',
    lookupKey: plan,
    credits: 0,
    grants,
    amount,
    paidAt: provider.now,
  };
  sell(provider, purchase, provider.id('cs'), 'card');
}

function sell(
  provider: ProviderModel,
  purchase: PurchaseTruth,
  session: string,
  pay: Of<'buy_pack'>['pay'],
): void {
  const { uid } = provider;
  const paid = pay === 'card' || pay === 'promotion';
  provider.sales.set(purchase.id, { truth: purchase, paid, refunds: [], dispute: null });
  if (paid) {
    const payment = pay === 'promotion' ? 'no_payment_required' : 'paid';
    provider.report('checkout.session.completed', sessionObject(uid, { purchase, session, payment }), {
      tells: 'paid',
      purchase,
    });
    return;
  }
  provider.report(
    'checkout.session.completed',
    sessionObject(uid, { purchase, session, payment: 'unpaid' }),
    {
      tells: 'customer',
      customer: purchase.customer,
    },
  );
  provider.now += 3_600_000;
  if (pay === 'delayed_fails') {
    const failed = sessionObject(uid, { purchase, session, payment: 'unpaid' });
    provider.report('checkout.session.async_payment_failed', failed, {
      tells: 'customer',
      customer: purchase.customer,
    });
    return;
  }
  const truth = { ...purchase, paidAt: provider.now };
  provider.sale(purchase.id, { truth, paid: true });
  const succeeded = sessionObject(uid, { purchase: truth, session, payment: 'paid' });
  provider.report('checkout.session.async_payment_succeeded', succeeded, { tells: 'paid', purchase: truth });
}

export const moneyBack = (sale: Sale): number => sale.refunds.reduce((sum, refund) => sum + refund.amount, 0);

export function refundable(sale: Sale): boolean {
  const isDisputed = sale.dispute?.outcome === 'open' || sale.dispute?.outcome === 'lost';
  return sale.paid && !isDisputed && moneyBack(sale) < sale.truth.amount;
}

export function refund(provider: ProviderModel, sale: Sale, percent: number): void {
  const left = sale.truth.amount - moneyBack(sale);
  const amount = Math.max(1, Math.floor((left * percent) / 100));
  const refunds = [...sale.refunds, { id: provider.id('re'), amount }];
  provider.sale(sale.truth.id, { refunds });
  const back = moneyBack({ ...sale, refunds });
  provider.report('charge.refunded', chargeObject(provider.uid, sale.truth, back), {
    tells: 'money_back',
    purchase: sale.truth,
    back,
  });
}

/** Days after a refund the bank sends the money back to the seller. */
export function refundFails(provider: ProviderModel, sale: Sale): void {
  const failed = sale.refunds.at(-1);
  if (failed === undefined) return;
  provider.now += 2 * 86_400_000;
  const refunds = sale.refunds.slice(0, -1);
  provider.sale(sale.truth.id, { refunds });
  const object = refundObject(sale.truth, failed.id, failed.amount);
  const { amount } = failed;
  provider.report('refund.failed', object, { tells: 'refund_failed', purchase: sale.truth, amount });
  provider.now += 86_400_000;
}
