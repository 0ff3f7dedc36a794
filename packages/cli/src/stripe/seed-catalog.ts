import type { LookupKey, Pricing } from '@extension-billing/contract/pricing';
import type { Stripe } from 'stripe';
import { howToReprice, metadataRepair, mismatches, type Offer, wantedPrice } from './compare-price.ts';
import type { Step } from './step.ts';

const NAMES: Readonly<Record<LookupKey, string>> = {
  premium_monthly: 'Premium',
  premium_yearly: 'Premium (yearly)',
  premium_lifetime: 'Premium (lifetime)',
  premium_metered_monthly: 'Premium with credits',
  credits_pack_small: 'Credits, small pack',
  credits_pack_large: 'Credits, large pack',
};

/**
 * Brings the provider's catalog to the pricing file, price by price, found by lookup key (specification, "Price
 * catalog"): makes what is missing, mends metadata, and reports a wrong amount or interval without touching it.
 *
 * @throws the SDK's error when the provider refuses.
 */
export async function seedCatalog(stripe: Stripe, catalog: Pricing): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const offer of [...catalog.plans, ...catalog.packs]) {
    const { data } = await stripe.prices.list({ lookup_keys: [offer.lookupKey], active: true });
    const [price] = data;
    steps.push(price === undefined ? await create(stripe, offer) : await mend(stripe, offer, price));
  }
  return steps;
}

async function create(stripe: Stripe, offer: Offer): Promise<Step> {
  const { amount, currency, interval, metadata } = wantedPrice(offer);
  const written = Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  await stripe.prices.create({
    lookup_key: offer.lookupKey,
    // An archived price may still hold the key.
    transfer_lookup_key: true,
    unit_amount: amount,
    currency,
    ...(interval === null ? {} : { recurring: { interval } }),
    metadata: written,
    product_data: { name: NAMES[offer.lookupKey], metadata: written },
  });
  return { about: `price ${offer.lookupKey}`, did: 'created' };
}

async function mend(stripe: Stripe, offer: Offer, price: Stripe.Price): Promise<Step> {
  const about = `price ${offer.lookupKey}`;
  const wrong = mismatches(offer, price);
  if (wrong.length > 0) {
    return { about: `${about} ${wrong.join(' and ')}`, did: 'problem', note: howToReprice(offer) };
  }
  const metadata = metadataRepair(offer, price);
  if (metadata === null) return { about, did: 'unchanged' };
  await stripe.prices.update(price.id, { metadata });
  return { about: `${about}: its metadata`, did: 'updated' };
}
