import type { PackOffer, PlanOffer } from '@extension-billing/contract/pricing';
import type { Stripe } from 'stripe';

export type Offer = PlanOffer | PackOffer;

/** What a price must say, by the pricing file. */
export interface WantedPrice {
  readonly amount: number;
  readonly currency: string;
  readonly interval: 'month' | 'year' | null;
  /** `credits` for a pack, `monthly_credits` for a metered plan; the other one must be absent. */
  readonly metadata: Readonly<Record<'credits' | 'monthly_credits', string | undefined>>;
}

export function wantedPrice(offer: Offer): WantedPrice {
  const { amount, currency } = offer;
  if (offer.kind === 'pack') {
    const metadata = { credits: String(offer.credits), monthly_credits: undefined };
    return { amount, currency, interval: null, metadata };
  }
  const monthly_credits = offer.monthlyCredits > 0 ? String(offer.monthlyCredits) : undefined;
  const interval = offer.interval === 'once' ? null : offer.interval;
  return { amount, currency, interval, metadata: { credits: undefined, monthly_credits } };
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

/** How a person reprices: a price's amount never changes, and nobody who subscribed is moved. */
export function howToReprice(offer: Offer): string {
  const { amount, currency, interval } = wantedPrice(offer);
  const recurring = interval === null ? '' : ` --recurring.interval ${interval}`;
  return (
    'Nothing is repriced here. Correct the pricing file, or make the new price yourself: stripe prices create ' +
    `--lookup-key ${offer.lookupKey} --transfer-lookup-key=true --unit-amount ${amount} --currency ${currency}${recurring} ` +
    '--product prod_…; then run this again for its metadata. Subscribers keep their old price.'
  );
}
