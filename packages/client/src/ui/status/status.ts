import type { Catalog } from '@extension-billing/contract/catalog';
import type { BillingState } from '@extension-billing/contract/customer';
import {
  isEntitling,
  isOver,
  isOverdue,
  isRunning,
  isTrial,
} from '@extension-billing/contract/subscription-status';
import { accessView, snapshotAt } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { daysLeft, formatDay } from '../format.ts';
import { lifetimeName, nextPlanName, planNameOf, renewalCost } from '../plans/offers.ts';
import { englishOfStatus } from '../text/english-of-status.ts';
import { bringTexts, t, tCount } from '../text/texts.ts';

bringTexts(englishOfStatus);

type StatusTone = 'neutral' | 'good' | 'warning' | 'danger';

/** A plan's status in words: what it is, what happens next and when, and whether the portal is where to act. */
export interface StatusView {
  /** `withheld`: a plan is there, and gives no access at the moment. */
  readonly state: BillingState | 'withheld';
  readonly title: string;
  readonly badge: { readonly text: string; readonly tone: StatusTone } | null;
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
  const unconfirmed = describeUnconfirmed(snapshot, now);
  if (unconfirmed !== null) return unconfirmed;
  const { plan, currentPeriodEnd, paid } = snapshot;
  const state = shownState(snapshot);
  const title = state === 'free' ? freeTitle(catalog) : planNameOf(plan);
  const day = currentPeriodEnd === null ? null : formatDay(currentPeriodEnd, now);
  const cost = renewalCost(snapshot.renewal);
  const view = { state, title, badge: null, portalAction: null, keeps: null };
  const change = changeOf(snapshot, now);
  switch (state) {
    case 'free':
      return { ...view, lines: freeLines(snapshot, catalog, sellsPlans) };
    case 'withheld':
      return {
        ...view,
        badge: { text: t('statusOnHold'), tone: 'danger' },
        lines: [t('statusWithheld')],
        portalAction: t('statusPortal'),
      };
    case 'trial': {
      const days = currentPeriodEnd === null ? null : daysLeft(currentPeriodEnd, now);
      return {
        ...view,
        badge: {
          text: days === null ? t('statusTrial') : tCount(days, 'statusTrialLeft', String(days)),
          tone: 'good',
        },
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
    }
    case 'active':
      return {
        ...view,
        badge: { text: t('statusActive'), tone: 'good' },
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
        badge: { text: t('statusEnding'), tone: 'warning' },
        lines: [day === null ? t('statusEndsSoon') : t('statusEnds', day), t('statusUndo')],
        portalAction: t('actionKeepPlan'),
      };
    case 'past_due':
      return {
        ...view,
        badge: { text: t('statusPastDue'), tone: 'danger' },
        lines: [t('statusPaymentFailed'), paid ? t('statusStillEntitled') : t('statusPaused')],
        portalAction: t('actionMendPayment'),
      };
    case 'lifetime':
      return {
        ...view,
        title: lifetimeName(plan),
        badge: { text: t('statusLifetime'), tone: 'good' },
        ...besideLifetime(snapshot, now),
      };
    default:
      return state satisfies never;
  }
}

/** What the plan changes to, in words; null where it goes on, and once its day has come. */
function changeOf({ plannedChange: change }: EntitlementSnapshot, now: number): string | null {
  if (change === null || change.at <= now) return null;
  return t('statusChanges', nextPlanName(change.plan), formatDay(change.at, now));
}

/**
 * The billing state, but for a plan that is there and gives no access by the service's own word: its payment is overdue,
 * or (`withheld`) disputed, paused or not confirmed in time. No other plan can be bought beside it.
 */
function shownState({ state, plan, status }: EntitlementSnapshot): BillingState | 'withheld' {
  if (state !== 'free' || plan === null || !isRunning(status)) return state;
  return isOverdue(status) ? 'past_due' : 'withheld';
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

function freeTitle({ plans }: Catalog): string {
  return plans.length === 0 ? t('statusPayAsYouGo') : t('planFree');
}

function freeLines(
  { trialUsed, status }: EntitlementSnapshot,
  { plans, packs, trialDays }: Catalog,
  sellsPlans: boolean,
): readonly string[] {
  const ended = plans.length > 0 && isOver(status) ? [t('statusEnded')] : [];
  if (plans.length === 0 || !sellsPlans) return packs.length === 0 ? ended : [...ended, t('statusPacksOnly')];
  const hasTrial = !trialUsed && trialDays > 0 && plans.some((plan) => plan.trial);
  if (hasTrial) return [...ended, tCount(trialDays, 'statusFreeTrial', String(trialDays))];
  return [...ended, packs.length === 0 ? t('statusFreePlansOnly') : t('statusFree')];
}

/**
 * A plan or a trial whose end has come without a word of the server since (docs/decisions/0140-offline-policy.md): until
 * when access goes on, or that it has ended, and what to do. Null where the server's last word still holds, also where
 * that word is a bound which has passed: then no connection helps.
 *
 * @param snapshot as `snapshotAt` shows it
 */
function describeUnconfirmed(snapshot: EntitlementSnapshot, now: number): StatusView | null {
  const { state, status, plan, currentPeriodEnd, lapsedAt, contactAt } = snapshot;
  const { staleness, accessUntil } = accessView(snapshot, now);
  const isLapsed = lapsedAt !== undefined && contactAt < lapsedAt;
  if (!isLapsed && staleness !== 'unconfirmed') return null;
  const end = currentPeriodEnd !== null && currentPeriodEnd <= now ? formatDay(currentPeriodEnd, now) : null;
  const ended = end === null ? [] : [t(isTrial(status) ? 'statusTrialEnded' : 'statusPeriodEnded', end)];
  const view = { title: planNameOf(plan), portalAction: null, keeps: null };
  if (!isLapsed) {
    const connect =
      accessUntil === null ? t('statusConnectAgain') : t('statusConnectBy', formatDay(accessUntil, now));
    return {
      ...view,
      state,
      badge: { text: t('statusUnconfirmed'), tone: 'warning' },
      lines: [...ended, connect],
    };
  }
  // Its end was announced: no connection brings it back.
  if (snapshot.cancelAtPeriodEnd && end !== null) {
    return { ...view, state: 'free', badge: null, lines: [...ended, t('statusEnded')] };
  }
  return {
    ...view,
    state: 'free',
    badge: { text: t('statusLapsed'), tone: 'danger' },
    lines: [...ended, t('statusConnectAgain')],
  };
}
