import { offerOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { givenCatalog, wholeCatalog } from '../../given-catalog.ts';
import { formatPrice } from '../format.ts';
import { t } from '../text/texts.ts';

// Apart from the other words of offers: a page's first frame says which plan somebody has.

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

/** The name behind a plan's lookup key in a record; the key itself for a plan that is no longer sold. */
export function planNameOf(lookupKey: string | null): string {
  // A price that the owner made for one customer may have none.
  if (lookupKey === null) return t('planPremium');
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
