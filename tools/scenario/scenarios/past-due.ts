import catalog from '../../../billing.config.ts';
import type { Scenario } from '../stage.ts';
import { allowance } from './offers.ts';

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
