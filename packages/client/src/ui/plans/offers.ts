import {
  type Catalog,
  type LookupKey,
  offerOf,
  type PackOffer,
  type PlanOffer,
} from '@extension-billing/contract/catalog';
import type { Renewal } from '@extension-billing/contract/customer';
import { givenCatalog, wholeCatalog } from '../../given-catalog.ts';
import { formatCount, formatMoney, formatPrice } from '../format.ts';
import { t } from '../text/texts.ts';

/**
 * A plan's name: the one of the catalogue, or what follows from what the plan is. Where two plans would then be called
 * alike, each says what it costs.
 */
export function planName(plan: PlanOffer): string {
  const name = nameAlone(plan);
  const sibling = siblingOf(plan, givenCatalog.plans);
  const isShared = givenCatalog.plans.some(
    (other) => other !== plan && other !== sibling && nameAlone(other) === name,
  );
  if (!isShared) return name;
  const { amount, currency } = plan.interval === 'year' ? (sibling ?? plan) : plan;
  return t('planAt', name, formatPrice(amount, currency));
}

function nameAlone({ name, kind, credits }: PlanOffer): string {
  if (name !== undefined) return name;
  if (kind === 'lifetime') return t('planLifetime');
  return credits !== null ? t('planMetered') : t('planPremium');
}

/** What a plan gives, a few words each: the catalogue's own, or what follows from what the plan is. */
export function planBenefits(plan: PlanOffer, { packs }: Catalog = givenCatalog): readonly string[] {
  if (plan.benefits !== undefined) return plan.benefits;
  if (plan.kind === 'lifetime') return [t('pointEverything'), t('pointPayOnce'), t('pointNeverExpires')];
  if (plan.credits !== null) {
    return [t('pointCredits', formatCount(plan.credits.amount)), t('pointEverything'), t('pointCancel')];
  }
  const topUp = packs.length > 0 ? [t('pointTopUp')] : [];
  return [t('pointEverything'), ...topUp, t('pointCancel')];
}

/** The name behind a lookup key of a record; the key itself for a plan that is no longer sold. */
export function planNameOf(lookupKey: string | null): string {
  if (lookupKey === null) return t('planFree');
  // It may be sold in another extension of the project.
  const offer = offerOf(givenCatalog, lookupKey) ?? (wholeCatalog && offerOf(wholeCatalog, lookupKey));
  return offer == null || offer.kind === 'pack' ? lookupKey : planName(offer);
}

/** The same of a plan that the one that runs changes to; its price may have no key. */
export function nextPlanName(lookupKey: string | null): string {
  return planNameOf(lookupKey ?? '…');
}

/** The same of a lifetime plan that is owned; null for one whose sale named no key. */
export function lifetimeName(lookupKey: string | null): string {
  return lookupKey === null ? t('planLifetime') : planNameOf(lookupKey);
}

/** What a plan costs, in words: "$19.00 per month". Null for a plan that is no longer sold. */
export function planCostOf(lookupKey: string | null): string | null {
  const offer = lookupKey === null ? undefined : offerOf(givenCatalog, lookupKey);
  if (offer === undefined || offer.kind === 'pack') return null;
  return costOf(offer.amount, offer.currency, offer.interval);
}

/**
 * What is billed next, in words; null where that is not known. What the catalogue says is for buyers: who has a plan may
 * pay an older price, in another currency, or for several (docs/decisions/0210-what-renews.md).
 */
export function renewalCost(renewal: Renewal | null): string | null {
  if (renewal === null) return null;
  const { amount, currency, interval, count = 1 } = renewal;
  return costOf(amount, currency, count === 1 ? interval : null);
}

/** "$19.00 per month"; the amount alone where its interval has no words. */
function costOf(
  minor: number,
  currency: string,
  interval: PlanOffer['interval'] | Renewal['interval'] | null,
): string {
  const amount = formatMoney(minor, currency);
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

/** The same plan in the other interval. */
export function siblingOf(plan: PlanOffer, plans: readonly PlanOffer[]): PlanOffer | undefined {
  if (plan.interval === 'year') return monthlyOf(plan, plans);
  if (plan.interval === 'once') return undefined;
  return plans.find((other) => other.interval === 'year' && monthlyOf(other, plans) === plan);
}

/**
 * The monthly offer of a yearly plan: of those with its name, allowance and currency the one of which twelve months come
 * closest, and cost no less where there is such a one.
 */
function monthlyOf(yearly: PlanOffer, plans: readonly PlanOffer[]): PlanOffer | undefined {
  const distance = ({ amount }: PlanOffer): number => {
    const saving = amount * 12 - yearly.amount;
    return saving >= 0 ? saving : yearly.amount * 12 - saving;
  };
  return plans
    .filter(
      (plan) =>
        plan.interval === 'month' &&
        plan.name === yearly.name &&
        JSON.stringify(plan.credits) === JSON.stringify(yearly.credits) &&
        plan.currency === yearly.currency,
    )
    .toSorted((a, b) => distance(a) - distance(b))[0];
}
