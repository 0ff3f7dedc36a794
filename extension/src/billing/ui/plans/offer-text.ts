import { type LookupKey, offerOf, type PackOffer, type PlanOffer, pricing } from '@contract/pricing.ts';
import { formatCount } from '../format/format-date.ts';
import { formatMoney } from '../format/format-money.ts';
import { t } from '../text/t.ts';

/** A plan's name. It follows from what the plan is, so that an adopter's own keys have names too. */
export function planName(plan: PlanOffer): string {
  if (plan.kind === 'lifetime') return t('planLifetime');
  return plan.monthlyCredits > 0 ? t('planMetered') : t('planPremium');
}

/** The name behind a lookup key of a record; the key itself for a plan that is no longer sold. */
export function planNameOf(lookupKey: string | null): string {
  if (lookupKey === null) return t('planFree');
  const offer = offerOf(pricing, lookupKey);
  return offer === undefined || offer.kind === 'pack' ? lookupKey : planName(offer);
}

/** What a plan costs, in words: "$19.00 per month". Null for a plan that is no longer sold. */
export function planCostOf(lookupKey: string | null): string | null {
  const offer = lookupKey === null ? undefined : offerOf(pricing, lookupKey);
  if (offer === undefined || offer.kind === 'pack') return null;
  const amount = formatMoney(offer.amount, offer.currency);
  switch (offer.interval) {
    case 'month':
      return t('costPerMonth', amount);
    case 'year':
      return t('costPerYear', amount);
    case 'once':
      return t('costOnce', amount);
    default:
      return offer.interval satisfies never;
  }
}

/** The name of a plan or a pack that is sold, for a sentence. */
export function offerName(lookupKey: LookupKey): string {
  const offer = offerOf(pricing, lookupKey);
  if (offer === undefined) return lookupKey;
  return offer.kind === 'pack' ? packName(offer) : planName(offer);
}

export function packName(pack: PackOffer): string {
  return t('packName', formatCount(pack.credits));
}
