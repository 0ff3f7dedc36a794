import { type Offer, offersOf, productName } from '@extension-billing/contract/catalog';
import { termsOfOffer, writeTerms } from '@extension-billing/contract/sold-terms';
import type { CatalogEntry } from '@extension-billing/simulator';
import { writePrices } from '../../../../functions/src/stripe/fields.ts';
import { catalog as sold } from './catalog.ts';

function metadataOf(offer: Offer): Record<string, string> {
  const terms = Object.entries(writeTerms(termsOfOffer(offer)));
  return {
    ...(offer.kind === 'pack' && { credits: String(offer.credits) }),
    ...(offer.kind !== 'pack' && offer.credits !== null && { monthly_credits: String(offer.credits.amount) }),
    ...(offer.prices !== undefined && { prices: writePrices(offer.prices) }),
    ...Object.fromEntries(terms.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  };
}

/** The same for the local simulator, as its `--catalog` takes it. */
const catalog: readonly CatalogEntry[] = offersOf(sold).map((offer) => ({
  lookupKey: offer.lookupKey,
  name: productName(offer),
  ...(offer.product?.description !== undefined && { description: offer.product.description }),
  amount: offer.amount,
  currency: offer.currency,
  ...(offer.prices !== undefined && { prices: offer.prices }),
  interval: offer.kind === 'pack' || offer.interval === 'once' ? null : offer.interval,
  metadata: metadataOf(offer),
}));
export default catalog;
