import type { Catalog, Offer, PlanOffer } from '@extension-billing/contract/catalog';
import type { OfferPrice } from '../../messages.ts';

/**
 * The catalogue at the amounts to show: money and credits as the service said, because the owner may change both at the
 * provider; otherwise its own, in the wished currency if it has that.
 *
 * @param currency null for none that is wished
 */
export function withPrices(
  catalog: Catalog,
  currency: string | null,
  prices: readonly OfferPrice[],
): Catalog {
  const priceOf = ({ lookupKey }: Offer) => prices.find((price) => price.lookupKey === lookupKey);
  const shown = <Kind extends Offer>(offer: Kind): Kind => {
    const price = priceOf(offer);
    if (price !== undefined) return { ...offer, amount: price.amount, currency: price.currency };
    const amount = currency === null ? undefined : offer.prices?.[currency];
    return currency === null || amount === undefined ? offer : { ...offer, amount, currency };
  };
  const plans = catalog.plans.map((plan): PlanOffer => {
    const amount = priceOf(plan)?.credits;
    return {
      ...shown(plan),
      credits: plan.credits && { ...plan.credits, amount: amount ?? plan.credits.amount },
    };
  });
  const packs = catalog.packs.map((pack) => {
    return { ...shown(pack), credits: priceOf(pack)?.credits ?? pack.credits };
  });
  return { ...catalog, plans, packs };
}
