import assert from 'node:assert/strict';
import { costOf } from '@extension-billing/contract/features';
import { consume } from '../../packages/cli/src/local/account.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import { allowance, sold } from '../../packages/cli/src/local/sold.ts';
import type { Scenario } from './stage.ts';

export const trialToCanceled: Scenario = {
  name: 'trial-to-canceled',
  what: 'trial, active, cancel, canceled',
  async play(stage) {
    await stage.buyer.buy(sold.metered.lookupKey);
    await stage.show('trial', { status: 'trialing', paid: true, creditsAllowance: allowance() });

    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('active', { status: 'active', paid: true, creditsAllowance: allowance() });

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
    const [small, large] = [sold.smallPack.credits, sold.largePack.credits];
    await stage.buyer.buy(sold.smallPack.lookupKey);
    await stage.show('free', { paid: false, packCreditsRemaining: small });

    await stage.buyer.buy(sold.largePack.lookupKey);
    await stage.show('free', { packCreditsRemaining: small + large, creditsRemaining: small + large });

    const cost = costOf(catalog, sold.dearFeature) ?? 0;
    assert.equal(await consume(stage.suite, stage.account, sold.dearFeature), 200);
    const left = small + large - cost;
    await stage.show('free', { packCreditsRemaining: left });

    await stage.buyer.buy(sold.metered.lookupKey);
    await stage.show('trial', { creditsAllowance: allowance(), packCreditsRemaining: left });

    assert.equal(await consume(stage.suite, stage.account, sold.dearFeature), 200);
    await stage.show('trial', { creditsAllowance: allowance() - cost, packCreditsRemaining: left });

    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('active', { creditsAllowance: allowance(), packCreditsRemaining: left });
  },
};

export const refunds: Scenario = {
  name: 'refunds',
  what: 'a pack refunded in part, then wholly, and another that stays',
  async play(stage) {
    const small = sold.smallPack.credits;
    const large = sold.largePack;
    await stage.buyer.buy(sold.smallPack.lookupKey);
    await stage.show('free', { packCreditsRemaining: small });
    await stage.buyer.buy(sold.largePack.lookupKey);
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
    await stage.buyer.buy(sold.metered.lookupKey);
    await stage.show('trial', { status: 'trialing', paid: true });

    await stage.buyer.putCard('is declined');
    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('past_due', { status: 'past_due', paid: true });

    await stage.buyer.putCard('pays');
    await stage.buyer.payOpenInvoice();
    await stage.show('active', { status: 'active', paid: true, creditsAllowance: allowance() });
  },
};

export const lifetime: Scenario = {
  name: 'lifetime',
  what: 'a lifetime plan beside a subscription, kept when that ends, lost when it is refunded',
  async play(stage) {
    await stage.buyer.buy(sold.monthly.lookupKey);
    await stage.show('trial', { paid: true, plan: sold.monthly.lookupKey });

    await stage.buyer.buy(sold.lifetime.lookupKey);
    await stage.show('lifetime', { paid: true, plan: sold.lifetime.lookupKey });

    await stage.buyer.cancelAtPeriodEnd();
    await stage.buyer.advanceDays(catalog.trialDays + 32);
    await stage.show('lifetime', { paid: true, plan: sold.lifetime.lookupKey });

    await stage.buyer.refund();
    await stage.show('free', { paid: false });
  },
};

export const secondPlan: Scenario = {
  name: 'second-plan',
  what: 'whoever comes back after a plan has ended gets no second trial',
  async play(stage) {
    await stage.buyer.buy(sold.monthly.lookupKey);
    await stage.show('trial', { status: 'trialing', trialUsed: true });

    await stage.buyer.cancelAtPeriodEnd();
    await stage.buyer.advanceDays(catalog.trialDays + 1);
    await stage.show('free', { status: 'canceled', paid: false });

    await stage.buyer.buy(sold.metered.lookupKey);
    await stage.show('active', { status: 'active', paid: true, plan: sold.metered.lookupKey });
  },
};
