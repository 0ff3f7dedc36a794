import type { Catalog, PlanOffer } from '@extension-billing/contract/catalog';
import { costOf } from '@extension-billing/contract/features';
import { isOverdue, isRunning } from '@extension-billing/contract/subscription-status';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay, formatList, formatMoment } from '../format.ts';
import { deriveMeter, nextCreditsAt } from '../meter/meter.ts';
import { derivePlanChoice } from '../plans/choices.ts';
import { planName } from '../plans/plan-names.ts';
import { t, tCount } from '../text/texts.ts';

interface WallWords {
  readonly title: string;
  readonly text: string;
}

/**
 * What the top-up wall says: what is missing, and every way on that there is.
 *
 * @param refused the feature whose refusal raised the wall; null if the credits ran out
 */
export function describeTopUp(
  snapshot: EntitlementSnapshot,
  now: number,
  catalog: Catalog,
  refused: string | null = null,
): WallWords {
  const balance = snapshot.credits?.balance ?? 0;
  const cost = refused === null ? 0 : (costOf(catalog, refused) ?? 0);
  const short =
    balance > 0 && cost > balance ? tCount(cost, 'wallShort', formatCount(cost), formatCount(balance)) : null;
  const next = nextCredits(snapshot, now, catalog, cost);
  return {
    title: t(balance > 0 ? 'wallTitleLow' : 'wallTitle'),
    text: [...(short === null ? [] : [short]), ...waysOn(next, snapshot, catalog)].join(' '),
  };
}

function waysOn(next: string | null, snapshot: EntitlementSnapshot, catalog: Catalog): readonly string[] {
  if (catalog.packs.length > 0) return [next === null ? t('wallWords') : t('wallWordsOrWait', next)];
  const wait = next === null ? [] : [t('wallWait', next)];
  if (plansWithCredits(snapshot, catalog).length > 0) return [t('wallPlans'), ...wait];
  if (next !== null) return wait;
  return [t(isBlocked(snapshot, catalog) ? 'planAfterCurrent' : 'wallNothing')];
}

/** The plans that bring the user more credits at once: to buy, or to change to. */
export function plansWithCredits(snapshot: EntitlementSnapshot, catalog: Catalog): readonly PlanOffer[] {
  const own = catalog.plans.find(({ lookupKey }) => lookupKey === snapshot.plan)?.credits ?? null;
  return catalog.plans.filter((plan) => {
    if (plan.credits === null) return false;
    const choice = derivePlanChoice(plan, snapshot, catalog);
    if (choice.kind !== 'change') return choice.kind === 'buy';
    const isMore = own === null || (own.every === plan.credits.every && own.amount < plan.credits.amount);
    return isMore && choice.when !== 'later';
  });
}

/** Whether the subscription stands in the way of a plan with credits: it is overdue, on hold, or about to end. */
function isBlocked(snapshot: EntitlementSnapshot, catalog: Catalog): boolean {
  const { status, paid, cancelAtPeriodEnd } = snapshot;
  if (!isRunning(status) || snapshot.state === 'lifetime') return false;
  return (
    (!paid || isOverdue(status) || cancelAtPeriodEnd) && catalog.plans.some(({ credits }) => credits !== null)
  );
}

/** When waiting helps; null if it does not: nothing comes, or even a whole allowance is less than the cost. */
function nextCredits(
  snapshot: EntitlementSnapshot,
  now: number,
  catalog: Catalog,
  cost: number,
): string | null {
  const allowance = deriveMeter(snapshot, catalog)?.monthlyCredits ?? 0;
  if (allowance === 0 || cost > allowance) return null;
  const byClock = snapshot.credits?.nextAt ?? null;
  if (byClock !== null) return formatMoment(byClock, now);
  const next = nextCreditsAt(snapshot, now);
  return next === null ? null : formatDay(next, now);
}

/** What the wall in front of a feature says of the plans that open it. */
export function describePlanWall(plans: readonly PlanOffer[], catalog: Catalog): string {
  const canCancel = plans.every(({ kind }) => kind === 'subscription');
  return [whichHaveIt(plans, catalog), ...(canCancel ? [t('planWallCancel')] : [])].join(' ');
}

function whichHaveIt(plans: readonly PlanOffer[], catalog: Catalog): string {
  if (catalog.plans.every((plan) => plans.includes(plan))) return t('planWallEvery');
  const names = [...new Set(plans.map(planName))];
  return names.length === 1 ? t('planWallOne', names.join()) : t('planWallSome', formatList(names));
}
