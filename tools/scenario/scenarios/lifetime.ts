import catalog from '../../../billing.config.ts';
import type { Scenario } from '../stage.ts';

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
