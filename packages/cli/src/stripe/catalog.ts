import { type Catalog, type Offer, offersOf, productName } from '@extension-billing/contract/catalog';
import type { Stripe } from 'stripe';
import { metadataOf, type PriceMetadata, priceMetadata } from '../local/price-metadata.ts';
import type { Step } from './set-up.ts';

/** What a price must say, by the catalogue. */
interface WantedPrice {
  readonly amount: number;
  readonly currency: string;
  /** Amounts in further currencies. */
  readonly prices: Readonly<Record<string, number>>;
  readonly interval: 'month' | 'year' | null;
  readonly metadata: PriceMetadata;
}

function wantedPrice(offer: Offer): WantedPrice {
  const { amount, currency, prices = {} } = offer;
  const interval = offer.kind === 'pack' || offer.interval === 'once' ? null : offer.interval;
  return { amount, currency, prices, interval, metadata: metadataOf(offer) };
}

/** Why a price cannot be sold as this offer: what no update can change. Empty when it can. */
export function mismatches(offer: Offer, price: Stripe.Price): readonly string[] {
  const wanted = wantedPrice(offer);
  const interval = price.recurring?.interval ?? null;
  const count = price.recurring?.interval_count ?? 1;
  return [
    ...(price.unit_amount === wanted.amount && price.currency === wanted.currency
      ? []
      : [`costs ${price.unit_amount} ${price.currency}, not ${wanted.amount} ${wanted.currency}`]),
    ...Object.entries(wanted.prices).flatMap(([currency, amount]) => {
      const has = price.currency_options?.[currency]?.unit_amount;
      return has === undefined || has === amount
        ? []
        : [`costs ${has} ${currency}, not ${amount} ${currency}`];
    }),
    ...(interval === wanted.interval && count === 1
      ? []
      : [`recurs ${interval ?? 'once'} × ${count}, not ${wanted.interval ?? 'once'}`]),
  ];
}

/** The metadata to write on a price so that it fits; null when it fits. An empty text removes a key (Stripe). */
export function metadataRepair(offer: Offer, price: Stripe.Price): Record<string, string> | null {
  const wrong = Object.entries(wantedPrice(offer).metadata).filter(
    ([key, value]) => price.metadata[key] !== value,
  );
  return wrong.length === 0 ? null : Object.fromEntries(wrong.map(([key, value]) => [key, value ?? '']));
}

/** The further currencies that a price lacks, as an update takes them; null where it has all. */
export function currencyRepair(
  offer: Offer,
  price: Stripe.Price,
): NonNullable<Stripe.PriceCreateParams['currency_options']> | null {
  const lacking = Object.entries(wantedPrice(offer).prices).filter(
    ([currency]) => price.currency_options?.[currency] === undefined,
  );
  return lacking.length === 0 ? null : optionsOf(lacking);
}

function optionsOf(prices: readonly (readonly [currency: string, amount: number])[]) {
  return Object.fromEntries(prices.map(([currency, amount]) => [currency, { unit_amount: amount }]));
}

/** An offer's price at the provider, with its amounts in all currencies. */
export async function findPrice(stripe: Stripe, { lookupKey }: Offer): Promise<Stripe.Price | undefined> {
  const expand = ['data.currency_options'];
  const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], active: true, expand });
  return data[0];
}

/** How a person reprices: a price's amount never changes, and nobody who subscribed is moved. */
export function howToReprice(offer: Offer): string {
  const { amount, currency, prices, interval } = wantedPrice(offer);
  const further = Object.entries(prices).map(
    ([name, minor]) => ` -d "currency_options[${name}][unit_amount]=${minor}"`,
  );
  const recurring = interval === null ? '' : ` --recurring.interval ${interval}`;
  return (
    'Nothing is repriced here. Correct the catalogue, or make the new price yourself: stripe prices create ' +
    `--lookup-key ${offer.lookupKey} --transfer-lookup-key=true --unit-amount ${amount} --currency ${currency}${recurring}${further.join('')} ` +
    '--product prod_…; then run this again for its metadata. Subscribers keep their old price.'
  );
}

/**
 * Brings the provider's catalog to the catalogue, price by price, found by lookup key (specification, "Price
 * catalog"): makes what is missing, fixes metadata, and reports a wrong amount or interval without touching it.
 *
 * @throws the SDK's error when the provider refuses.
 */
export async function seedCatalog(stripe: Stripe, catalog: Catalog): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const offer of offersOf(catalog)) {
    const price = await findPrice(stripe, offer);
    steps.push(price === undefined ? await create(stripe, offer) : await fix(stripe, offer, price));
  }
  return steps;
}

async function create(stripe: Stripe, offer: Offer): Promise<Step> {
  const { amount, currency, prices, interval } = wantedPrice(offer);
  const further = Object.entries(prices);
  const metadata = priceMetadata(offer);
  await stripe.prices.create({
    lookup_key: offer.lookupKey,
    // An archived price may still hold the key.
    transfer_lookup_key: true,
    unit_amount: amount,
    currency,
    ...(further.length > 0 && { currency_options: optionsOf(further) }),
    ...(interval === null ? {} : { recurring: { interval } }),
    metadata,
    product_data: { name: productName(offer), metadata },
  });
  return { about: `price ${offer.lookupKey}`, did: 'created' };
}

async function fix(stripe: Stripe, offer: Offer, price: Stripe.Price): Promise<Step> {
  const about = `price ${offer.lookupKey}`;
  const wrong = mismatches(offer, price);
  if (wrong.length > 0) {
    return { about: `${about} ${wrong.join(' and ')}`, did: 'problem', note: howToReprice(offer) };
  }
  const metadata = metadataRepair(offer, price);
  const lacking = currencyRepair(offer, price);
  if (metadata === null && lacking === null) return { about, did: 'unchanged' };
  await stripe.prices.update(price.id, {
    ...(metadata !== null && { metadata }),
    ...(lacking !== null && { currency_options: lacking }),
  });
  const what = [
    ...(lacking === null ? [] : [Object.keys(lacking).join(', ')]),
    ...(metadata === null ? [] : ['its metadata']),
  ];
  return { about: `${about}: ${what.join(' and ')}`, did: 'updated' };
}
