import { offersOf, productName } from '@extension-billing/contract/catalog';
import type { CatalogEntry } from '@extension-billing/simulator';
import { catalog as sold } from './catalog.ts';
import { priceMetadata } from './price-metadata.ts';

/** What is sold, for the local simulator, as its `--catalog` takes it. */
const catalog: readonly CatalogEntry[] = offersOf(sold).map((offer) => ({
  lookupKey: offer.lookupKey,
  name: productName(offer),
  ...(offer.product?.description !== undefined && { description: offer.product.description }),
  amount: offer.amount,
  currency: offer.currency,
  ...(offer.prices !== undefined && { prices: offer.prices }),
  interval: offer.kind === 'pack' || offer.interval === 'once' ? null : offer.interval,
  metadata: priceMetadata(offer),
}));
export default catalog;
