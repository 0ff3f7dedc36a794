import { type PlanOffer, type Pricing, pricing } from '@extension-billing/contract/pricing';
import { isRunning, isTrial } from '@extension-billing/contract/subscription-status';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay } from '../format/format-date.ts';
import { t } from '../text/t.ts';
import { planNameOf } from './offer-text.ts';

/**
 * What buying a lifetime plan does to the subscription that runs, in words, so that a buyer knows it before they pay:
 * the service ends it (docs/decisions/0110-lifetime-ends-the-subscription.md). Empty where nothing runs.
 */
export function describePlanEnd(
  offer: PlanOffer,
  snapshot: EntitlementSnapshot,
  now: number,
  catalog: Pricing = pricing,
): readonly string[] {
  if (offer.kind !== 'lifetime' || snapshot.state === 'lifetime' || !isRunning(snapshot.status)) return [];
  const credits = monthlyCreditsOf(snapshot, catalog);
  return [whenItEnds(snapshot, now), ...(credits > 0 ? [t('planEndCredits', formatCount(credits))] : [])];
}

function whenItEnds({ plan, status, currentPeriodEnd }: EntitlementSnapshot, now: number): string {
  const name = planNameOf(plan);
  const day = currentPeriodEnd === null || currentPeriodEnd <= now ? null : formatDay(currentPeriodEnd, now);
  if (isTrial(status)) return day === null ? t('planEndTrialSoon') : t('planEndTrial', day);
  if (status !== 'active') return t('planEndNow', name);
  return day === null ? t('planEndSoon', name) : t('planEnd', name, day);
}

function monthlyCreditsOf({ plan, credits }: EntitlementSnapshot, { plans }: Pricing): number {
  const sold = plans.find(({ lookupKey }) => lookupKey === plan)?.monthlyCredits ?? 0;
  return Math.max(sold, credits?.monthlyCredits ?? 0);
}
