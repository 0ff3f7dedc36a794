import type { LookupKey, Offer } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import { type SoldTerms, termsOfOffer } from '@extension-billing/contract/sold-terms';
import type { Stripe } from 'stripe';
import { CatalogProblem } from './client.ts';
import { type Money, readMetadata } from './fields.ts';

/** What a checkout needs of a price. */
export interface ResolvedPrice extends SoldTerms {
  readonly id: string;
  /** The price's own currency. */
  readonly currency: string;
  /** What it costs in each currency that it is sold in, its own too: minor units. */
  readonly amounts: Readonly<Record<string, number>>;
  /** From the price's metadata: credits of a pack, or 0. */
  readonly credits: number;
  /** From the price's metadata: credits of each period, or 0. */
  readonly monthlyCredits: number;
}

/** Cache TTL. A changed price is sold everywhere within a minute, as a published catalogue is. */
const REMEMBERED_FOR: Millis = 60_000;

/** The most that the provider looks for in one call. */
const KEYS_AT_ONCE = 10;

export interface Prices {
  /**
   * The provider's active price behind an offer's lookup key (specification, "Price catalog"). Throws
   * CatalogProblem where there is none, or where it does not fit the offer.
   */
  resolve(offer: Offer): Promise<ResolvedPrice>;
  /** The prices of several offers, in one call for each ten that are not remembered; null in place of a CatalogProblem. */
  resolveAll(offers: readonly Offer[]): Promise<readonly (ResolvedPrice | null)[]>;
  /** The provider no longer takes the remembered price: ask again next time. */
  forget(lookupKey: LookupKey): void;
}

/** What the provider has under a lookup key; null for nothing. */
type Found = Stripe.Price | null;

/** Prices by lookup key, remembered per instance; requests at once share one call. */
export function rememberPrices(stripe: () => Promise<Stripe>, now: () => Millis): Prices {
  const remembered = new Map<LookupKey, { readonly price: Promise<Found>; readonly until: Millis }>();

  function ask(lookupKeys: readonly LookupKey[]): void {
    const answer = listPrices(stripe, lookupKeys);
    for (const lookupKey of lookupKeys) {
      const price = answer.then((found) => found.get(lookupKey) ?? null);
      remembered.set(lookupKey, { price, until: now() + REMEMBERED_FOR });
      const forget = (): void => {
        if (remembered.get(lookupKey)?.price === price) remembered.delete(lookupKey);
      };
      price.then((found) => found === null && forget(), forget);
    }
  }

  /** Each of them is remembered afterwards, or being asked for. */
  function askForMissing(offers: readonly Offer[]): void {
    const missing = offers
      .map(({ lookupKey }) => lookupKey)
      .filter((lookupKey) => (remembered.get(lookupKey)?.until ?? 0) <= now());
    for (let at = 0; at < missing.length; at += KEYS_AT_ONCE) ask(missing.slice(at, at + KEYS_AT_ONCE));
  }

  const resolve = async (offer: Offer): Promise<ResolvedPrice> => {
    askForMissing([offer]);
    try {
      return fitPrice(offer, (await remembered.get(offer.lookupKey)?.price) ?? null);
    } catch (error) {
      // Somebody will put it right, and then it is to be sold at once.
      if (error instanceof CatalogProblem) remembered.delete(offer.lookupKey);
      throw error;
    }
  };

  return {
    resolve,
    async resolveAll(offers) {
      askForMissing(offers);
      return Promise.all(
        offers.map((offer) =>
          resolve(offer).catch((error: unknown) => {
            if (error instanceof CatalogProblem) return null;
            throw error;
          }),
        ),
      );
    },
    forget(lookupKey) {
      remembered.delete(lookupKey);
    },
  };
}

async function listPrices(
  stripe: () => Promise<Stripe>,
  lookupKeys: readonly LookupKey[],
): Promise<ReadonlyMap<LookupKey, Stripe.Price>> {
  const { data } = await (await stripe()).prices.list({
    lookup_keys: [...lookupKeys],
    active: true,
    expand: ['data.currency_options', 'data.product'],
  });
  return new Map(data.flatMap((price) => (price.lookup_key === null ? [] : [[price.lookup_key, price]])));
}

/** The price as a checkout of the offer needs it. @throws CatalogProblem where it cannot be sold as this offer */
function fitPrice(offer: Offer, price: Found): ResolvedPrice {
  const { lookupKey } = offer;
  if (price === null) throw new CatalogProblem(lookupKey, 'no active price has this lookup key');
  const { product } = price;
  if (typeof product === 'object' && !product.deleted && !product.active)
    throw new CatalogProblem(lookupKey, `its product ${product.id} is archived: activate it at the provider`);
  const isRecurring = price.recurring !== null && price.recurring !== undefined;
  if (isRecurring !== (offer.kind === 'subscription')) {
    throw new CatalogProblem(lookupKey, 'the price is one-time where the offer recurs, or the reverse');
  }
  const { credits = 0, monthlyCredits = 0, terms, expiresAfterDays } = readMetadata(price.metadata);
  if (offer.kind === 'pack' && credits === 0) {
    throw new CatalogProblem(lookupKey, 'the pack price has no "credits" in its metadata');
  }
  if (offer.kind !== 'pack' && offer.credits !== null && monthlyCredits === 0) {
    throw new CatalogProblem(lookupKey, 'the metered price has no "monthly_credits" in its metadata');
  }
  return {
    id: price.id,
    currency: price.currency,
    amounts: amountsOf(price),
    credits: offer.kind === 'pack' ? credits : 0,
    monthlyCredits: offer.kind === 'pack' ? 0 : monthlyCredits,
    // What the price does not say is as the catalogue, and so the page, has it.
    ...termsOfOffer(offer),
    ...(offer.kind === 'pack' && expiresAfterDays !== undefined && { expiresAfterDays }),
    ...(offer.kind !== 'pack' && terms !== undefined && { terms }),
  };
}

function amountsOf({ currency, unit_amount: own, currency_options: options = {} }: Stripe.Price) {
  const further = Object.entries(options).map(([name, { unit_amount: amount }]) => [name, amount] as const);
  return Object.fromEntries(
    [[currency, own] as const, ...further].flatMap(([name, amount]) =>
      typeof amount === 'number' ? [[name, amount] as const] : [],
    ),
  );
}

/**
 * What a buyer pays for a price: in the first of the wished currencies that it is sold in, else in its own. Null for a
 * price without a fixed amount (one that the buyer chooses, say).
 */
export function chargedFor(
  { currency, amounts }: Pick<ResolvedPrice, 'currency' | 'amounts'>,
  wished: readonly (string | null)[],
): Money | null {
  const chosen = wished.find((wish) => wish !== null && Object.hasOwn(amounts, wish)) ?? currency;
  const amount = amounts[chosen];
  return amount === undefined ? null : { currency: chosen, amount };
}
