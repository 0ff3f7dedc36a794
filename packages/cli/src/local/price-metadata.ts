import type { Offer } from '@extension-billing/contract/catalog';
import { type TermsKey, termsOfOffer, writeTerms } from '@extension-billing/contract/sold-terms';
import { writePrices } from '../../../../functions/src/stripe/fields.ts';

/**
 * `credits` for a pack, `monthly_credits` and `entitlements` for a plan, the terms of both, and `prices`: an event shows
 * no other currency than the price's own. What is undefined must be absent.
 */
export type PriceMetadata = Readonly<
  Record<'credits' | 'monthly_credits' | 'entitlements' | 'prices' | TermsKey, string | undefined>
>;

/** What a price's metadata must say of its offer, and which keys have to be absent. */
export function metadataOf(offer: Offer): PriceMetadata {
  const { prices = {} } = offer;
  const shared = {
    ...writeTerms(termsOfOffer(offer)),
    prices: Object.keys(prices).length > 0 ? writePrices(prices) : undefined,
  };
  if (offer.kind === 'pack') {
    return { ...shared, credits: String(offer.credits), monthly_credits: undefined, entitlements: undefined };
  }
  const { credits, grants } = offer;
  return {
    ...shared,
    credits: undefined,
    monthly_credits: credits === null ? undefined : String(credits.amount),
    entitlements: grants.length > 0 ? grants.join(',') : undefined,
  };
}

/** The metadata of an offer's price, without the keys that have to be absent. */
export function priceMetadata(offer: Offer): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadataOf(offer)).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
