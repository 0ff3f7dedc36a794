import catalog from '../../../billing.config.ts';
import type { Scenario } from '../stage.ts';

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
