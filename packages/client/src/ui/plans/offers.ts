import { type LookupKey, offerOf, type PackOffer, type PlanOffer } from '@extension-billing/contract/catalog';
import type { Renewal } from '@extension-billing/contract/customer';
import { givenCatalog } from '../../given-catalog.ts';
import { formatCount, formatMoney, formatPrice } from '../format.ts';
import { t } from '../text/texts.ts';
import { planName } from './plan-names.ts';

/** What a plan costs, in words: "$19.00 per month". Null for a plan that is no longer sold. */
export function planCostOf(lookupKey: string | null): string | null {
  const offer = lookupKey === null ? undefined : offerOf(givenCatalog, lookupKey);
  if (offer === undefined || offer.kind === 'pack') return null;
  return costOf(formatMoney(offer.amount, offer.currency), offer.interval);
}

/** The same on a button, which has little room: "$19 per month". */
export function shortCostOf({ amount, currency, interval }: PlanOffer): string {
  return costOf(formatPrice(amount, currency), interval);
}

/**
 * What is billed next, in words; null where that is not known. What the catalogue says is for buyers: who has a plan may
 * pay an older price, in another currency, or for several (docs/decisions/changes-of-plan.md).
 */
export function renewalCost(renewal: Renewal | null): string | null {
  if (renewal === null) return null;
  const { amount, currency, interval, count = 1 } = renewal;
  return costOf(formatMoney(amount, currency), count === 1 ? interval : null);
}

/** "$19.00 per month"; the amount alone where its interval has no words. */
function costOf(amount: string, interval: PlanOffer['interval'] | Renewal['interval'] | null): string {
  switch (interval) {
    case 'month':
      return t('costPerMonth', amount);
    case 'year':
      return t('costPerYear', amount);
    case 'once':
      return t('costOnce', amount);
    case 'day':
    case 'week':
    case null:
      return amount;
    default:
      return interval satisfies never;
  }
}

/** The name of a plan or a pack that is sold, for a sentence. */
export function offerName(lookupKey: LookupKey): string {
  const offer = offerOf(givenCatalog, lookupKey);
  if (offer === undefined) return lookupKey;
  return offer.kind === 'pack' ? packName(offer) : planName(offer);
}

/** What a pack is called: its own name, or its credits. */
export function packName({ name, credits }: PackOffer): string {
  return name ?? t('packName', formatCount(credits));
}
