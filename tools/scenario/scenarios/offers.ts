import { type LookupKey, offerOf } from '@extension-billing/contract/catalog';
import catalog from '../../../billing.config.ts';

/** Credits in each month of the metered plan. */
export const allowance = monthlyCredits();

function monthlyCredits(): number {
  const offer = offerOf(catalog, 'premium_metered_monthly');
  if (offer === undefined || offer.kind === 'pack') throw new Error('The catalogue sells no metered plan.');
  return offer.monthlyCredits;
}

/** Credits and price of a pack. */
export function packOf(lookupKey: LookupKey): { readonly credits: number; readonly amount: number } {
  const offer = offerOf(catalog, lookupKey);
  if (offer?.kind !== 'pack') throw new Error(`The catalogue sells no pack ${lookupKey}.`);
  return offer;
}
