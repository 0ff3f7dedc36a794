import { type Catalog, type Offer, offerOf, offersOf } from '@extension-billing/contract/catalog';

/** A price as a source or Stripe names it. */
export interface SourcePrice {
  /** All that it can be named by after `--map`: id, lookup key, nickname, product; the first is how it is shown. */
  readonly names: readonly string[];
  /** `day` to `year`, `once` for what is paid once, `given` for what nobody paid. */
  readonly interval: string;
  /** Every so many intervals. */
  readonly count: number;
  /** ISO 4217, lower case; null where the source names none. */
  readonly currency: string | null;
  /** Minor currency units; null where the source names none. */
  readonly amount: number | null;
}

/** What somebody who has a price there gets here. */
export type Mapped =
  | { readonly kind: 'offer'; readonly offer: Offer }
  /** The owner says that it entitles to nothing here. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unmapped'; readonly why: string };

/** What the owner said after `--map`: a name of a price there, and a lookup key here or `nothing`. */
export type Chosen = ReadonlyMap<string, string>;

export const NOTHING = 'nothing';
export const GIVEN = 'given';

/**
 * What a price there is here: what the owner said, else the offer of the same lookup key, else the only offer that costs
 * the same as often. A pack is never guessed: it would bring credits, and nobody knows what of them is left.
 */
export function mapPrice(price: SourcePrice, catalog: Catalog, chosen: Chosen): Mapped {
  const said = price.names.map((name) => chosen.get(name)).find((key) => key !== undefined);
  if (said === NOTHING) return { kind: 'nothing' };
  if (said !== undefined) {
    const offer = offerOf(catalog, said);
    if (offer === undefined) return unmapped(price, `the catalogue has no ${said}`);
    return fits(price, offer)
      ? { kind: 'offer', offer }
      : unmapped(price, `${said} is a ${offer.kind}, which ${describePrice(price)} is not`);
  }
  if (price.interval === GIVEN) return unmapped(price, 'it was given, not sold');
  const plans = offersOf(catalog).filter((offer) => offer.kind !== 'pack' && fits(price, offer));
  const named = plans.find(({ lookupKey }) => price.names.includes(lookupKey));
  if (named !== undefined) return { kind: 'offer', offer: named };
  const equal = plans.filter((offer) => costsTheSame(price, offer));
  const [only] = equal;
  if (only !== undefined && equal.length === 1) return { kind: 'offer', offer: only };
  return unmapped(price, equal.length === 0 ? 'no offer costs the same' : 'several offers cost the same');
}

/** A price that recurs is a subscription here, one that is paid once is not; what was given can be any plan. */
function fits({ interval }: SourcePrice, { kind }: Offer): boolean {
  if (interval === GIVEN) return kind !== 'pack';
  return (interval === 'once') === (kind !== 'subscription');
}

function costsTheSame({ interval, count, currency, amount }: SourcePrice, offer: Offer): boolean {
  if (offer.kind === 'pack' || offer.interval !== interval || count !== 1 || currency === null) return false;
  const asked = offer.currency === currency ? offer.amount : offer.prices?.[currency];
  return asked === amount;
}

function unmapped(price: SourcePrice, why: string): Mapped {
  const [name = ''] = price.names;
  return {
    kind: 'unmapped',
    why: `${describePrice(price)}: ${why}; say --map ${name}=<lookup key>, or ${name}=${NOTHING}`,
  };
}

/** A price for a person: its first name, and what it costs. */
export function describePrice({ names, interval, count, currency, amount }: SourcePrice): string {
  const [name = 'a price without a name'] = names;
  if (amount === null || currency === null) return name;
  const often = interval === 'once' ? 'once' : count === 1 ? interval : `${count} ${interval}s`;
  const cost = `${amount}${currency}/${often}`;
  return name === cost ? name : `${name} (${cost})`;
}

/** How a price is named that has no id: minor units, currency and interval, as in `1000usd/month`. */
export function costName({ interval, count, currency, amount }: Omit<SourcePrice, 'names'>): string {
  const often = interval === 'once' || count === 1 ? interval : `${count}${interval}`;
  return `${amount ?? 0}${currency ?? ''}/${often}`;
}
