import { type Offer, offersOf, productName } from '@extension-billing/contract/catalog';
import type { CatalogEntry } from '@extension-billing/simulator';
import { catalog as sold } from './catalog.ts';

function metadataOf(offer: Offer): Record<string, string> {
  if (offer.kind === 'pack') return { credits: String(offer.credits) };
  return offer.credits === null ? {} : { monthly_credits: String(offer.credits.amount) };
}

/** The same for the local simulator, as its `--catalog` takes it. */
const catalog: readonly CatalogEntry[] = offersOf(sold).map((offer) => ({
  lookupKey: offer.lookupKey,
  name: productName(offer),
  ...(offer.product?.description !== undefined && { description: offer.product.description }),
  amount: offer.amount,
  currency: offer.currency,
  interval: offer.kind === 'pack' || offer.interval === 'once' ? null : offer.interval,
  metadata: metadataOf(offer),
}));
export default catalog;
