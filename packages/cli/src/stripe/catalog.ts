import {
  type Catalog,
  type LookupKey,
  type Offer,
  offersOf,
  productName,
} from '@extension-billing/contract/catalog';
import type { Stripe } from 'stripe';
import { readMetadata, writePrices } from '../../../../functions/src/stripe/fields.ts';
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

/** Why a price can't be sold as this offer, which no update can change; null if it can. */
export function mismatch(offer: Offer, price: Stripe.Price): string | null {
  const wanted = wantedPrice(offer).interval;
  const interval = price.recurring?.interval ?? null;
  const count = price.recurring?.interval_count ?? 1;
  return interval === wanted && count === 1
    ? null
    : `recurs ${interval ?? 'once'} × ${count}, not ${wanted ?? 'once'}`;
}

/**
 * Amounts and credits of a price that are not those of the catalogue. Not a fault: once a price exists they belong to
 * the provider ("Amounts may be changed freely in the provider dashboard"), and checkout, webhook and pages go by it.
 */
export function differences(offer: Offer, price: Stripe.Price): readonly string[] {
  const wanted = wantedPrice(offer);
  const given = creditsGiven(offer, price);
  const credits = offer.kind === 'pack' ? offer.credits : (offer.credits?.amount ?? 0);
  return [
    ...(price.unit_amount === wanted.amount && price.currency === wanted.currency
      ? []
      : [
          `costs ${price.unit_amount} ${price.currency}, the catalogue says ${wanted.amount} ${wanted.currency}`,
        ]),
    ...Object.entries(wanted.prices).flatMap(([currency, amount]) => {
      const has = price.currency_options?.[currency]?.unit_amount;
      return has === undefined || has === amount
        ? []
        : [`costs ${has} ${currency}, the catalogue says ${amount} ${currency}`];
    }),
    ...(given === undefined || given === credits
      ? []
      : [`brings ${given} credits, the catalogue says ${credits}`]),
  ];
}

/** The credits that a price says in its metadata; undefined if it says no legal number. */
function creditsGiven(offer: Offer, price: Stripe.Price): number | undefined {
  const { credits, monthlyCredits } = readMetadata(price.metadata);
  return offer.kind === 'pack' ? credits : monthlyCredits;
}

/**
 * The metadata to write on a price so that it fits; null if it fits. An empty text removes a key (Stripe). Credits are
 * filled in only if the price has none, and `prices` says the price's own amounts.
 */
export function metadataRepair(offer: Offer, price: Stripe.Price): Record<string, string> | null {
  const { credits, monthly_credits: monthlyCredits, ...terms } = wantedPrice(offer).metadata;
  const missing =
    creditsGiven(offer, price) !== undefined
      ? {}
      : {
          ...(credits !== undefined && { credits }),
          ...(monthlyCredits !== undefined && { monthly_credits: monthlyCredits }),
        };
  const wanted = { ...terms, prices: pricesOf(offer, price), ...missing };
  const wrong = Object.entries(wanted).filter(([key, value]) => price.metadata[key] !== value);
  return wrong.length === 0 ? null : Object.fromEntries(wrong.map(([key, value]) => [key, value ?? '']));
}

/** The price's amounts in other currencies than its own, with those that set-up adds. */
function pricesOf(offer: Offer, price: Stripe.Price): string | undefined {
  const own = Object.entries(price.currency_options ?? {}).flatMap(([currency, { unit_amount: amount }]) =>
    amount === null || currency === price.currency ? [] : [[currency, amount] as const],
  );
  const prices = { ...offer.prices, ...Object.fromEntries(own) };
  return Object.keys(prices).length > 0 ? writePrices(prices) : undefined;
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

/** Said with a difference, which needs nothing done. */
export const THEIRS = 'The provider’s is charged, granted and shown.';

/** An offer's price at the provider, with its amounts in all currencies. */
export async function findPrice(stripe: Stripe, lookupKey: LookupKey): Promise<Stripe.Price | undefined> {
  const expand = ['data.currency_options'];
  const { data } = await stripe.prices.list({ lookup_keys: [lookupKey], active: true, expand });
  return data[0];
}

/** How an owner replaces a price by the catalogue's. Subscribers keep the old one. */
export function howToReprice(offer: Offer): string {
  const { amount, currency, prices, interval } = wantedPrice(offer);
  const further = Object.entries(prices).map(
    ([name, minor]) => ` -d "currency_options[${name}][unit_amount]=${minor}"`,
  );
  const recurring = interval === null ? '' : ` --recurring.interval ${interval}`;
  return (
    'Correct the catalogue, or replace the price: stripe prices create ' +
    `--lookup-key ${offer.lookupKey} --transfer-lookup-key=true --unit-amount ${amount} --currency ${currency}${recurring}${further.join('')} ` +
    '--product prod_…; then run billing setup for its metadata. Subscribers keep their old price.'
  );
}

/**
 * Creates the prices that the provider lacks and fills in what existing ones lack, by lookup key (specification, "Price
 * catalog"). Never changes an amount or credits that a price has; reports an interval that can't be sold.
 *
 * @throws the SDK's error when the provider refuses.
 */
export async function seedCatalog(stripe: Stripe, catalog: Catalog): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const offer of offersOf(catalog)) {
    const price = await findPrice(stripe, offer.lookupKey);
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
  const wrong = mismatch(offer, price);
  if (wrong !== null) return { about: `${about} ${wrong}`, did: 'problem', note: howToReprice(offer) };
  const differs = differences(offer, price);
  const note = differs.length > 0 && { note: `${differs.join('; ')}. ${THEIRS}` };
  const metadata = metadataRepair(offer, price);
  const lacking = currencyRepair(offer, price);
  if (metadata === null && lacking === null) return { about, did: 'unchanged', ...note };
  await stripe.prices.update(price.id, {
    ...(metadata !== null && { metadata }),
    ...(lacking !== null && { currency_options: lacking }),
  });
  const what = [
    ...(lacking === null ? [] : [Object.keys(lacking).join(', ')]),
    ...(metadata === null ? [] : ['its metadata']),
  ];
  return { about: `${about}: ${what.join(' and ')}`, did: 'updated', ...note };
}
