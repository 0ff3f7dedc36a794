import assert from 'node:assert/strict';
import { allowanceOf, costOf, type LookupKey, offerOf } from '@extension-billing/contract/catalog';
import { consume } from '../../packages/cli/src/local/account.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import type { Scenario } from './stage.ts';

export const trialToCanceled: Scenario = {
  name: 'trial-to-canceled',
  what: 'trial, active, cancel, canceled',
  async play(stage) {
    await stage.buyer.buy('premium_metered_monthly');
    await stage.show('trial', { status: 'trialing', paid: true, creditsAllowance: allowance });

    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('active', { status: 'active', paid: true, creditsAllowance: allowance });

    await stage.buyer.cancelAtPeriodEnd();
    await stage.show('cancel_pending', { status: 'active', paid: true, cancelAtPeriodEnd: true });

    await stage.buyer.advanceDays(32);
    await stage.show('free', { status: 'canceled', paid: false, creditsRemaining: 0, trialUsed: true });
  },
};

export const packs: Scenario = {
  name: 'packs',
  what: 'packs add up, are spent after the allowance, and outlive a renewal',
  async play(stage) {
    const [small, large] = [packOf('credits_pack_small').credits, packOf('credits_pack_large').credits];
    await stage.buyer.buy('credits_pack_small');
    await stage.show('free', { paid: false, packCreditsRemaining: small });

    await stage.buyer.buy('credits_pack_large');
    await stage.show('free', { packCreditsRemaining: small + large, creditsRemaining: small + large });

    const cost = costOf(catalog, 'demo_deep') ?? 0;
    assert.equal(await consume(stage.suite, stage.account, 'demo_deep'), 200);
    const left = small + large - cost;
    await stage.show('free', { packCreditsRemaining: left });

    await stage.buyer.buy('premium_metered_monthly');
    await stage.show('trial', { creditsAllowance: allowance, packCreditsRemaining: left });

    assert.equal(await consume(stage.suite, stage.account, 'demo_deep'), 200);
    await stage.show('trial', { creditsAllowance: allowance - cost, packCreditsRemaining: left });

    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('active', { creditsAllowance: allowance, packCreditsRemaining: left });
  },
};

export const refunds: Scenario = {
  name: 'refunds',
  what: 'a pack refunded in part, then wholly, and another that stays',
  async play(stage) {
    const small = packOf('credits_pack_small').credits;
    const large = packOf('credits_pack_large');
    await stage.buyer.buy('credits_pack_small');
    await stage.show('free', { packCreditsRemaining: small });
    await stage.buyer.buy('credits_pack_large');
    await stage.show('free', { packCreditsRemaining: small + large.credits });

    await stage.buyer.refund(large.amount / 4);
    await stage.show('free', { packCreditsRemaining: small + (large.credits * 3) / 4 });

    await stage.buyer.refund();
    await stage.show('free', { packCreditsRemaining: small, creditsRemaining: small });
  },
};

export const pastDue: Scenario = {
  name: 'past-due',
  what: 'a declined renewal, access meanwhile, and recovery with another card',
  async play(stage) {
    await stage.buyer.buy('premium_metered_monthly');
    await stage.show('trial', { status: 'trialing', paid: true });

    await stage.buyer.putCard('is declined');
    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('past_due', { status: 'past_due', paid: true });

    await stage.buyer.putCard('pays');
    await stage.buyer.payOpenInvoice();
    await stage.show('active', { status: 'active', paid: true, creditsAllowance: allowance });
  },
};

export const lifetime: Scenario = {
  name: 'lifetime',
  what: 'a lifetime plan beside a subscription, kept when that ends, lost when it is refunded',
  async play(stage) {
    await stage.buyer.buy('premium_monthly');
    await stage.show('trial', { paid: true, plan: 'premium_monthly' });

    await stage.buyer.buy('premium_lifetime');
    await stage.show('lifetime', { paid: true, plan: 'premium_lifetime' });

    await stage.buyer.cancelAtPeriodEnd();
    await stage.buyer.advanceDays(catalog.trialDays + 32);
    await stage.show('lifetime', { paid: true, plan: 'premium_lifetime' });

    await stage.buyer.refund();
    await stage.show('free', { paid: false });
  },
};

export const secondPlan: Scenario = {
  name: 'second-plan',
  what: 'whoever comes back after a plan has ended gets no second trial',
  async play(stage) {
    await stage.buyer.buy('premium_monthly');
    await stage.show('trial', { status: 'trialing', trialUsed: true });

    await stage.buyer.cancelAtPeriodEnd();
    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('free', { status: 'canceled', paid: false });

    await stage.buyer.buy('premium_metered_monthly');
    await stage.show('active', { status: 'active', paid: true, plan: 'premium_metered_monthly' });
  },
};

/** Credits in each month of the metered plan. */
const allowance = monthlyCredits();

function monthlyCredits(): number {
  const offer = offerOf(catalog, 'premium_metered_monthly');
  if (offer === undefined || offer.kind === 'pack') throw new Error('The catalogue sells no metered plan.');
  return allowanceOf(offer);
}

/** Credits and price of a pack. */
function packOf(lookupKey: LookupKey): { readonly credits: number; readonly amount: number } {
  const offer = offerOf(catalog, lookupKey);
  if (offer?.kind !== 'pack') throw new Error(`The catalogue sells no pack ${lookupKey}.`);
  return offer;
}
