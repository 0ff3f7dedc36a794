import type { Catalog, Offer } from '@extension-billing/contract/catalog';
import type { OfferPrice } from '../../messages.ts';

/**
 * The catalogue at the amounts to show: what the service said, and else the catalogue's own in the wished currency,
 * where it has that.
 *
 * @param currency null for none that is wished
 */
export function withPrices(
  catalog: Catalog,
  currency: string | null,
  prices: readonly OfferPrice[],
): Catalog {
  const shown = <Kind extends Offer>(offer: Kind): Kind => {
    const price = prices.find(({ lookupKey }) => lookupKey === offer.lookupKey);
    if (price !== undefined) return { ...offer, amount: price.amount, currency: price.currency };
    const amount = currency === null ? undefined : offer.prices?.[currency];
    return currency === null || amount === undefined ? offer : { ...offer, amount, currency };
  };
  return { ...catalog, plans: catalog.plans.map(shown), packs: catalog.packs.map(shown) };
}
