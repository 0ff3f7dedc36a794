import assert from 'node:assert/strict';
import { costOf } from '@extension-billing/contract/catalog';
import catalog from '../../../billing.config.ts';
import { consume } from '../../../packages/cli/src/local/account.ts';
import type { Scenario } from '../stage.ts';
import { allowance, packOf } from './offers.ts';

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
