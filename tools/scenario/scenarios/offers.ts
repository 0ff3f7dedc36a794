import { offerOf, type PackKey, pricing } from '@extension-billing/contract/pricing';

/** Credits in each month of the metered plan. */
export const allowance = monthlyCredits();

function monthlyCredits(): number {
  const offer = offerOf(pricing, 'premium_metered_monthly');
  if (offer === undefined || offer.kind === 'pack')
    throw new Error('The pricing file sells no metered plan.');
  return offer.monthlyCredits;
}

/** Credits and price of a pack. */
export function packOf(lookupKey: PackKey): { readonly credits: number; readonly amount: number } {
  const offer = offerOf(pricing, lookupKey);
  if (offer?.kind !== 'pack') throw new Error(`The pricing file sells no pack ${lookupKey}.`);
  return offer;
}
