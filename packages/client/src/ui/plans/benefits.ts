import type { Catalog, PackOffer, PlanOffer } from '@extension-billing/contract/catalog';
import { gateOf } from '@extension-billing/contract/features';
import type { AllowanceTerms } from '@extension-billing/contract/schedule';
import { givenCatalog } from '../../given-catalog.ts';
import { formatCount, formatPrice } from '../format.ts';
import { t, tCount } from '../text/texts.ts';

/** What a plan gives, a few words each: the catalogue's own, or what follows from what the plan is. */
export function planBenefits(plan: PlanOffer, catalog: Catalog = givenCatalog): readonly string[] {
  const { benefits, credits, kind } = plan;
  if (benefits !== undefined) return benefits;
  return [
    ...(credits === null ? [] : [creditsBenefit(credits)]),
    ...(opensEverything(plan, catalog) ? [t('pointEverything')] : []),
    ...(kind === 'lifetime' ? [t('pointPayOnce')] : []),
    ...(credits === null && catalog.packs.length > 0 ? [t('pointTopUp')] : []),
    ...(kind === 'subscription' ? [t('pointCancel')] : []),
  ];
}

function creditsBenefit({ amount, every }: AllowanceTerms): string {
  const credits = formatCount(amount);
  switch (every) {
    case 'month':
      return t('pointCredits', credits);
    case 'week':
      return t('pointCreditsWeek', credits);
    case 'day':
      return t('pointCreditsDay', credits);
    default: {
      const hours = Number.parseInt(every, 10);
      return tCount(hours, 'pointCreditsHours', credits, formatCount(hours));
    }
  }
}

/** Whether there are features that need a plan, and this one opens all of them. */
function opensEverything({ grants }: PlanOffer, { features, ...catalog }: Catalog): boolean {
  const gated = Object.keys(features).filter(
    (name) => features[name]?.needs !== undefined || gateOf({ features, ...catalog }, name) === 'paywall',
  );
  return gated.length > 0 && gated.every((name) => isGranted(features[name]?.needs, grants));
}

function isGranted(needs: string | undefined, grants: readonly string[]): boolean {
  return needs === undefined || grants.includes(needs);
}

/** What a hundred credits of a pack cost, and how long they last; and how many there are, where its name may not say so. */
export function describePack({ amount, currency, credits, name, expiresAfterDays }: PackOffer): string {
  const perHundred = (amount * 100) / credits;
  // Of a pack of a million credits, 100 cost less than a cent, and not nothing.
  const price = formatPrice(perHundred < 1 ? perHundred : Math.round(perHundred), currency);
  const text =
    expiresAfterDays === undefined
      ? t('packPerHundred', price)
      : tCount(expiresAfterDays, 'packPerHundredFor', price, formatCount(expiresAfterDays));
  return name === undefined ? text : `${t('packName', formatCount(credits))}, ${text}`;
}
