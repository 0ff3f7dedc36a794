import type { LookupKey, PackOffer, PlanOffer } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { CatalogProblem } from './client.ts';
import { readMetadata } from './fields.ts';
import { type SoldTerms, termsOfOffer } from './terms.ts';

/** What a checkout needs of a price. */
export interface ResolvedPrice extends SoldTerms {
  readonly id: string;
  /** From the price's metadata: credits of a pack, or 0. */
  readonly credits: number;
  /** From the price's metadata: credits of each period, or 0. */
  readonly monthlyCredits: number;
}

/** How long a changed price may still be sold at its old amount by an instance that remembers it. */
const REMEMBERED_FOR: Millis = 5 * 60_000;

export interface Prices {
  /**
   * The provider's active price behind an offer's lookup key (specification, "Price catalog"). Throws
   * CatalogProblem where there is none, or where it does not fit the offer.
   */
  resolve(offer: PlanOffer | PackOffer): Promise<ResolvedPrice>;
  /** The provider no longer takes the remembered price: ask again next time. */
  forget(lookupKey: LookupKey): void;
}

/** Prices by lookup key, remembered per instance; requests at once share one call. */
export function rememberPrices(stripe: () => Promise<Stripe>, now: () => Millis): Prices {
  const remembered = new Map<LookupKey, { readonly price: Promise<ResolvedPrice>; readonly until: Millis }>();

  return {
    resolve(offer) {
      const known = remembered.get(offer.lookupKey);
      if (known !== undefined && known.until > now()) return known.price;
      const price = fetchPrice(stripe, offer);
      remembered.set(offer.lookupKey, { price, until: now() + REMEMBERED_FOR });
      price.catch(() => remembered.delete(offer.lookupKey));
      return price;
    },
    forget(lookupKey) {
      remembered.delete(lookupKey);
    },
  };
}

async function fetchPrice(
  stripe: () => Promise<Stripe>,
  offer: PlanOffer | PackOffer,
): Promise<ResolvedPrice> {
  const { lookupKey } = offer;
  const { data } = await (await stripe()).prices.list({ lookup_keys: [lookupKey], active: true });
  const price = data.find((candidate) => candidate.lookup_key === lookupKey);
  if (price === undefined) throw new CatalogProblem(lookupKey, 'no active price has this lookup key');
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
    credits: offer.kind === 'pack' ? credits : 0,
    monthlyCredits: offer.kind === 'pack' ? 0 : monthlyCredits,
    // What the price does not say is as the catalogue, and so the page, has it.
    ...termsOfOffer(offer),
    ...(offer.kind === 'pack' && expiresAfterDays !== undefined && { expiresAfterDays }),
    ...(offer.kind !== 'pack' && terms !== undefined && { terms }),
  };
}
