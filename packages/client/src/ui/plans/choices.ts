import type { Catalog, PlanOffer } from '@extension-billing/contract/catalog';
import { isRunning, isTrial } from '@extension-billing/contract/subscription-status';
import { givenCatalog } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format.ts';
import { t } from '../text/texts.ts';
import { planNameOf, siblingOf } from './plan-names.ts';

export type BillingInterval = 'month' | 'year';

/** What a user can do about a plan now. The server decides the same way and has the last word. */
type PlanChoice =
  /** `trialDays` is 0 where the purchase starts without a trial. */
  | { readonly kind: 'buy'; readonly trialDays: number }
  | { readonly kind: 'current' }
  /** A lifetime plan holds this one too. */
  | { readonly kind: 'included' }
  /** The subscription that runs is changed to it; the provider's page asks. */
  | { readonly kind: 'change'; readonly when: 'now' | 'later' | 'in_trial' | 'ends_trial' }
  /** The subscription that runs changes to it on that day. */
  | { readonly kind: 'planned'; readonly at: number }
  /** Something has to be done first about the subscription that runs. */
  | { readonly kind: 'after_current' };

/** What somebody may do with a plan, as things stand: buy it, change to it, or nothing, and why. */
export function derivePlanChoice(
  offer: PlanOffer,
  snapshot: EntitlementSnapshot,
  catalog: Catalog,
): PlanChoice {
  const running = isRunning(snapshot.status);
  const isCurrent = offer.lookupKey === snapshot.plan && (snapshot.paid || running);
  if (isCurrent) return { kind: 'current' };
  const isOwner = snapshot.state === 'lifetime';
  if (isOwner && !addsTo(ownedIn(snapshot), offer)) return { kind: 'included' };
  if (offer.kind === 'lifetime') return { kind: 'buy', trialDays: 0 };
  const beside = snapshot.runningSubscription;
  if (isOwner && beside !== null && isRunning(beside.status)) {
    return beside.plan === offer.lookupKey ? { kind: 'current' } : { kind: 'after_current' };
  }
  if (running && !isOwner) return deriveChange(offer, snapshot, catalog);
  return { kind: 'buy', trialDays: offer.trial && !snapshot.trialUsed ? catalog.trialDays : 0 };
}

/** What a lifetime plan's owner is entitled to for good: what a bound ends comes with something else. */
function ownedIn({ entitlements, entitlementsUntil }: EntitlementSnapshot): readonly string[] {
  return entitlements.filter((name) => !Object.hasOwn(entitlementsUntil, name));
}

function addsTo(owned: readonly string[], { grants }: PlanOffer): boolean {
  return grants.some((name) => !owned.includes(name));
}

function deriveChange(offer: PlanOffer, snapshot: EntitlementSnapshot, catalog: Catalog): PlanChoice {
  const { status, cancelAtPeriodEnd, plannedChange } = snapshot;
  if ((status !== 'active' && !isTrial(status)) || cancelAtPeriodEnd) {
    return { kind: 'after_current' };
  }
  if (plannedChange !== null) {
    return plannedChange.plan === offer.lookupKey
      ? { kind: 'planned', at: plannedChange.at }
      : { kind: 'after_current' };
  }
  if (isPutOff(offer, snapshot, catalog)) return { kind: 'change', when: 'later' };
  if (!isTrial(status)) return { kind: 'change', when: 'now' };
  return { kind: 'change', when: offer.trial ? 'in_trial' : 'ends_trial' };
}

/** What costs less, or is billed more often, waits for the period's end (docs/decisions/changes-of-plan.md). */
function isPutOff(to: PlanOffer, { plan, renewal }: EntitlementSnapshot, { plans }: Catalog): boolean {
  // What is paid may be an older price than the one that is sold.
  const paid = renewal ?? plans.find(({ lookupKey }) => lookupKey === plan);
  if (paid === undefined) return false;
  const isCheaper = paid.currency === to.currency && to.amount < paid.amount;
  return isCheaper || (paid.interval === 'year' && to.interval === 'month');
}

/** When a change to this plan takes effect, in words. */
export function describeChange(
  choice: Extract<PlanChoice, { kind: 'change' }>,
  { currentPeriodEnd: end }: EntitlementSnapshot,
  now: number,
): string {
  switch (choice.when) {
    case 'now':
      return t('planChangesNow');
    case 'later':
      return t('planChangesLater', formatDay(end ?? now, now));
    case 'in_trial':
      return t('planChangesTrial');
    case 'ends_trial':
      return t('planChangesTrialEnds');
    default:
      return choice.when satisfies never;
  }
}

/**
 * The plans to show for an interval. Monthly and yearly offers of the same thing (the same allowance) take one place;
 * what is sold in one interval only, or once, is always shown.
 */
export function plansFor(interval: BillingInterval, plans: readonly PlanOffer[]): readonly PlanOffer[] {
  return plans.filter((plan) => plan.interval === interval || siblingOf(plan, plans) === undefined);
}

/**
 * Of the plans for an interval, those that are sold in the other one only. They stand apart: under "Yearly" a plan that
 * is billed monthly would pass for a yearly one.
 */
export function plansApart(interval: BillingInterval, plans: readonly PlanOffer[]): readonly PlanOffer[] {
  const shown = plansFor(interval, plans);
  return hasTwoIntervals(plans)
    ? shown.filter((plan) => plan.interval !== interval && plan.interval !== 'once')
    : [];
}

/** Plans as a narrow list shows them: each with the intervals that it is sold in, monthly first. */
export function planFamilies(plans: readonly PlanOffer[]): readonly (readonly PlanOffer[])[] {
  return plans.flatMap((plan) => {
    const sibling = siblingOf(plan, plans);
    if (sibling === undefined) return [[plan]];
    return plan.interval === 'month' ? [[plan, sibling]] : [];
  });
}

/** The highest saving that a year brings, in whole per cent; 0 where no plan saves. */
export function bestYearlySaving(plans: readonly PlanOffer[]): number {
  const yearly = plans.filter(({ interval }) => interval === 'year');
  return Math.max(0, ...yearly.map((plan) => deriveYearlyPrice(plan, siblingOf(plan, plans)).savingPercent));
}

/** The choice of yearly prices in words, with what it saves: exactly, if every yearly plan saves the same. */
export function describeYearly(plans: readonly PlanOffer[]): string {
  const savings = plans
    .filter(({ interval }) => interval === 'year')
    .map((plan) => deriveYearlyPrice(plan, siblingOf(plan, plans)).savingPercent);
  const best = bestYearlySaving(plans);
  if (best === 0) return t('intervalYearly');
  return t(savings.every((saving) => saving === best) ? 'intervalYearlySaves' : 'intervalYearlyUpTo', best);
}

interface YearlyPrice {
  /** Minor units, rounded to a whole one. */
  readonly perMonth: number;
  /** Whole per cent below twelve months, rounded down; 0 when there is no saving. */
  readonly savingPercent: number;
}
/** What a yearly plan costs each month, and what it saves beside the monthly one. */
export function deriveYearlyPrice(yearly: PlanOffer, monthly: PlanOffer | undefined): YearlyPrice {
  const perMonth = Math.round(yearly.amount / 12);
  if (monthly === undefined || monthly.currency !== yearly.currency) return { perMonth, savingPercent: 0 };
  const saving = 1 - yearly.amount / (monthly.amount * 12);
  return { perMonth, savingPercent: Math.max(0, Math.floor(saving * 100)) };
}

/** The interval to start with: that of the plan the user has. */
export function intervalOf(plan: string | null, plans: readonly PlanOffer[]): BillingInterval {
  const isYearly = plans.some(({ lookupKey, interval }) => lookupKey === plan && interval === 'year');
  return isYearly ? 'year' : 'month';
}

/** Whether any plan is sold in two intervals, so that there is something to choose. */
export function hasTwoIntervals(plans: readonly PlanOffer[]): boolean {
  return plans.some((plan) => siblingOf(plan, plans) !== undefined);
}

/**
 * What buying a lifetime plan does to the subscription that runs, in words, so that a buyer knows it before they pay:
 * the service ends it (docs/decisions/entitlements.md). Empty where nothing runs.
 */
export function describePlanEnd(
  offer: PlanOffer,
  snapshot: EntitlementSnapshot,
  now: number,
  catalog: Catalog = givenCatalog,
): readonly string[] {
  if (offer.kind !== 'lifetime' || snapshot.state === 'lifetime' || !isRunning(snapshot.status)) return [];
  // It entitles to more than what is bought, so it is not ended (docs/decisions/entitlements.md).
  if (snapshot.entitlements.some((name) => !offer.grants.includes(name)))
    return [t('planGoesOn', planNameOf(snapshot.plan))];
  return [whenItEnds(snapshot, now), ...(bringsCredits(snapshot, catalog) ? [t('planEndCredits')] : [])];
}

function whenItEnds({ plan, status, currentPeriodEnd }: EntitlementSnapshot, now: number): string {
  const name = planNameOf(plan);
  const day = currentPeriodEnd === null || currentPeriodEnd <= now ? null : formatDay(currentPeriodEnd, now);
  if (isTrial(status)) return day === null ? t('planEndTrialSoon') : t('planEndTrial', day);
  if (status !== 'active') return t('planEndNow', name);
  return day === null ? t('planEndSoon', name) : t('planEnd', name, day);
}

/** Whether the plan that runs brings credits; of one that is no longer sold the record knows. */
function bringsCredits({ plan, credits }: EntitlementSnapshot, { plans }: Catalog): boolean {
  const offer = plans.find(({ lookupKey }) => lookupKey === plan);
  return offer === undefined ? (credits?.monthlyCredits ?? 0) > 0 : offer.credits !== null;
}
