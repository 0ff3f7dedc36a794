import type { Catalog } from '@extension-billing/contract/catalog';
import { isEntitling, isOver, isOverdue, isTrial } from '@extension-billing/contract/subscription-status';
import { accessView, snapshotAt } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay, formatList } from '../format.ts';
import { renewalCost } from '../plans/offers.ts';
import { nextPlanName, planName, planNameOf } from '../plans/plan-names.ts';
import { t, tCount } from '../text/texts.ts';
import { describeHead, type StatusHead } from './status-head.ts';

/** A plan's status in words: what it is, what happens next and when, and whether the portal is where to act. */
export interface StatusView extends Omit<StatusHead, 'word'> {
  readonly lines: readonly string[];
  /** What to do in the portal, where that is the next step; null where there is nothing that must be done. */
  readonly portalAction: string | null;
  /** The plan that runs, where a change is planned that can be taken back; null otherwise. */
  readonly keeps: string | null;
}

interface StatusOptions {
  /** Whether plans can be bought where this is shown: only then is a trial advertised. True by default. */
  readonly sellsPlans?: boolean;
}

/** Times are milliseconds since the epoch. */
export function describeStatus(
  stored: EntitlementSnapshot,
  now: number,
  catalog: Catalog,
  { sellsPlans = true }: StatusOptions = {},
): StatusView {
  const snapshot = snapshotAt(stored, now);
  const { word, ...head } = describeHead(snapshot, now, catalog);
  if (word !== 'holds') {
    return { ...head, lines: unconfirmedLines(snapshot, now, word), portalAction: null, keeps: null };
  }
  const { plan, currentPeriodEnd, paid } = snapshot;
  const day = currentPeriodEnd === null ? null : formatDay(currentPeriodEnd, now);
  const cost = renewalCost(snapshot.renewal);
  const view = { ...head, portalAction: null, keeps: null };
  const change = changeOf(snapshot, now);
  switch (head.state) {
    case 'free':
      return { ...view, lines: freeLines(snapshot, catalog, sellsPlans) };
    case 'withheld':
      return { ...view, lines: [t('statusWithheld')], portalAction: t('statusPortal') };
    case 'trial':
      return {
        ...view,
        keeps: change === null ? null : plan,
        lines:
          day === null
            ? []
            : [
                change !== null
                  ? change
                  : cost === null
                    ? t('statusTrialEndsOn', day)
                    : t('statusTrialEnds', day, cost),
                t('statusTrialCancel'),
              ],
      };
    case 'active':
      return {
        ...view,
        keeps: change === null ? null : plan,
        lines:
          change !== null
            ? [change]
            : day === null
              ? []
              : [cost === null ? t('statusRenews', day) : t('statusRenewsFor', day, cost)],
      };
    case 'cancel_pending':
      return {
        ...view,
        lines: [day === null ? t('statusEndsSoon') : t('statusEnds', day), t('statusUndo')],
        portalAction: t('actionKeepPlan'),
      };
    case 'past_due':
      return {
        ...view,
        lines: [t('statusPaymentFailed'), paid ? t('statusStillEntitled') : t('statusPaused')],
        portalAction: t('actionMendPayment'),
      };
    case 'lifetime':
      return { ...view, ...besideLifetime(snapshot, now) };
    default:
      return head.state satisfies never;
  }
}

/** What the plan changes to, in words; null where it goes on, and once its day has come. */
function changeOf({ plannedChange: change }: EntitlementSnapshot, now: number): string | null {
  if (change === null || change.at <= now) return null;
  return t('statusChanges', nextPlanName(change.plan), formatDay(change.at, now));
}

/** What of an earlier plan still runs beside a lifetime plan: until when, or that it would be charged again. */
function besideLifetime(
  { runningSubscription: running }: EntitlementSnapshot,
  now: number,
): Pick<StatusView, 'lines' | 'portalAction'> {
  if (running === null) return { lines: [t('statusForGood')], portalAction: null };
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd } = running;
  const name = planNameOf(plan);
  const day = currentPeriodEnd === null ? null : formatDay(currentPeriodEnd, now);
  if (running.goesOn === true && !cancelAtPeriodEnd) {
    return { lines: [t('statusYours'), t('statusOldPlanGoesOn', name)], portalAction: null };
  }
  const isEnding = cancelAtPeriodEnd && isEntitling(status) && !isOverdue(status);
  if (!isEnding) {
    return {
      lines: [t('statusYours'), t('statusOldPlanBills', name)],
      portalAction: t('actionCancelOldPlan'),
    };
  }
  const ends = day === null ? t('statusOldPlanEndsSoon', name) : t('statusOldPlanEnds', name, day);
  return { lines: [t('statusYours'), ends], portalAction: null };
}

function freeLines(snapshot: EntitlementSnapshot, catalog: Catalog, sellsPlans: boolean): readonly string[] {
  const { trialUsed, status } = snapshot;
  const { plans, packs, trialDays } = catalog;
  const ended = plans.length > 0 && isOver(status) ? [t('statusEnded')] : [];
  if (plans.length === 0 || !sellsPlans)
    return packs.length === 0 ? ended : [...ended, packsLine(snapshot, catalog)];
  if (!trialUsed && trialDays > 0 && plans.some((plan) => plan.trial)) return [...ended, trialLine(catalog)];
  return [...ended, packs.length === 0 ? t('statusFreePlansOnly') : t('statusFree')];
}

/** Which plans start with a trial, and how long it is. */
function trialLine({ plans, trialDays }: Catalog): string {
  const renewing = plans.filter(({ kind }) => kind === 'subscription');
  const names = [...new Set(renewing.filter(({ trial }) => trial).map(planName))];
  const days = String(trialDays);
  if (renewing.every(({ trial }) => trial)) return tCount(trialDays, 'statusFreeTrial', days);
  return tCount(trialDays, 'statusFreeTrialOf', formatList(names, 'disjunction'), days);
}

/** What packs are for. An account without credits may run everything without them (specification, rule 3). */
function packsLine({ uid, credits }: EntitlementSnapshot, { packs, free, unmetered }: Catalog): string {
  if (uid !== null && credits === null && free === null && unmetered === 'free') return t('statusPacksLater');
  const keep = packs.every(({ expiresAfterDays }) => expiresAfterDays === undefined);
  return t(keep ? 'statusPacksOnly' : 'statusPacksExpire');
}

/**
 * Of a plan or a trial whose end has come without a word of the server since (docs/decisions/client-worker.md):
 * until when access goes on, or that it has ended, and what to do.
 *
 * @param snapshot as `snapshotAt` shows it
 */
function unconfirmedLines(
  snapshot: EntitlementSnapshot,
  now: number,
  word: Exclude<StatusHead['word'], 'holds'>,
): readonly string[] {
  const { status, currentPeriodEnd } = snapshot;
  const end = currentPeriodEnd !== null && currentPeriodEnd <= now ? formatDay(currentPeriodEnd, now) : null;
  const ended = end === null ? [] : [t(isTrial(status) ? 'statusTrialEnded' : 'statusPeriodEnded', end)];
  if (word === 'ended') return [...ended, t('statusEnded')];
  const { accessUntil } = accessView(snapshot, now);
  const isDated = word === 'unconfirmed' && accessUntil !== null;
  return [...ended, isDated ? t('statusConnectBy', formatDay(accessUntil, now)) : t('statusConnectAgain')];
}
