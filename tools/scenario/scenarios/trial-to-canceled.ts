import catalog from '../../../billing.config.ts';
import type { Scenario } from '../stage.ts';
import { allowance } from './offers.ts';

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
