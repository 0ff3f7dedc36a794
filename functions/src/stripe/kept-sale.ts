import { isPlanKey } from '@extension-billing/contract/catalog';
import { isOver } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import type { AppDeps } from '../deps.ts';
import { IMPORT_MARK, rowsOf, SALE_KEYS, SEAL_KEY, writeMetadata } from './fields.ts';
import { type Seller, saleOf, soldAt } from './sale.ts';
import { type SaleSeal, type SellerDeps, sealOf, sellerOf } from './seal.ts';
import { serviceItem } from './subscriptions.ts';

/**
 * The metadata that keeps what was sold with the price that a subscription runs at: it was changed to that price since it
 * was bought, so its metadata is about another one. Null if it says so already, or runs at no plan of the catalogue
 * (docs/decisions/changes-of-plan.md#credits-of-a-change-within-a-period). An empty text removes a key.
 *
 * @param uid its owner
 */
export function saleToKeep(
  subscription: Stripe.Subscription,
  seller: Seller,
  uid: string,
  seal: SaleSeal['seal'],
): Record<string, string> | null {
  const { catalog, project } = seller;
  const items = rowsOf(subscription.items);
  const prices = items.flatMap(({ price }) => price ?? []);
  const { proof, said, claimed } = saleOf({ metadata: [subscription.metadata], prices }, seller);
  const price = serviceItem(items, said.priceId, catalog)?.price;
  if (price === null || price === undefined || !isPlanKey(catalog, price.lookup_key)) return null;
  const isKept = proof === 'price' ? false : claimed.priceId === undefined || claimed.priceId === price.id;
  if (isKept || isOver(subscription.status)) return null;
  const sold = soldAt(price, catalog);
  const written = writeMetadata({
    ...{ uid, kind: 'subscription', lookupKey: sold.lookupKey ?? '', priceId: price.id, credits: 0 },
    monthlyCredits: sold.monthlyCredits ?? 0,
    ...(sold.terms !== undefined && { terms: sold.terms }),
    ...(sold.entitlements !== undefined && { entitlements: sold.entitlements }),
    ...(project !== null && { project }),
  });
  // What an import brought and was changed to a plan of this service's is this service's own from then on.
  const stale = [...SALE_KEYS, SEAL_KEY, IMPORT_MARK].filter((key) => key in (subscription.metadata ?? {}));
  return { ...Object.fromEntries(stale.map((key) => [key, ''])), ...seal(written) };
}

/** Whether there is something to keep. */
export function isChanged(subscription: Stripe.Subscription, seller: Seller): boolean {
  return saleToKeep(subscription, seller, '', (metadata) => ({ ...metadata })) !== null;
}

/**
 * Keeps at the provider what was sold with a change of plan, so that later changes of the price or the catalogue leave it
 * as it was. Safe to repeat: it asks for the subscription as it is now.
 *
 * @throws the SDK's error where the provider cannot be asked, or has no such subscription (isNotFound)
 */
export async function keepSale(
  deps: Pick<AppDeps, 'stripe' | 'log'> & SellerDeps,
  subscription: string,
  uid: string,
): Promise<void> {
  const stripe = await deps.stripe();
  const now = await stripe.subscriptions.retrieve(subscription);
  const metadata = saleToKeep(now, sellerOf(deps), uid, sealOf(deps.config).seal);
  if (metadata === null) return;
  await stripe.subscriptions.update(subscription, { metadata });
  deps.log.info('sale_kept', { subscription });
}
