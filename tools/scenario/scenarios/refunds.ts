import type { Scenario } from '../stage.ts';
import { packOf } from './offers.ts';

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
