import type { Catalog } from '@extension-billing/contract/catalog';
import type { BillingState } from '@extension-billing/contract/customer';
import { isOverdue, isRunning } from '@extension-billing/contract/subscription-status';
import { accessView } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { daysLeft } from '../format.ts';
import { lifetimeName, planNameOf } from '../plans/plan-names.ts';
import { t, tCount } from '../text/texts.ts';

// Apart from the sentences of a status (status.ts): this much of it is in a page's first frame.

type StatusTone = 'neutral' | 'good' | 'warning' | 'danger';

/** Which plan this is, and how it stands, in a few words. */
export interface StatusHead {
  /** `withheld`: a plan is there, and gives no access at the moment. */
  readonly state: BillingState | 'withheld';
  readonly title: string;
  readonly badge: { readonly text: string; readonly tone: StatusTone } | null;
  /**
   * Whether the server's last word still holds. `unconfirmed`: access goes on without it. `lapsed`: it has ended without
   * it. `ended`: so has what had been announced, and no connection brings it back.
   */
  readonly word: 'holds' | 'unconfirmed' | 'lapsed' | 'ended';
}

/**
 * @param snapshot as `snapshotAt` shows it
 * @param now milliseconds since the epoch
 */
export function describeHead(snapshot: EntitlementSnapshot, now: number, catalog: Catalog): StatusHead {
  const word = wordOf(snapshot, now);
  if (word !== 'holds') {
    return {
      word,
      state: word === 'unconfirmed' ? snapshot.state : 'free',
      title: planNameOf(snapshot.plan),
      badge:
        word === 'ended'
          ? null
          : word === 'lapsed'
            ? { text: t('statusLapsed'), tone: 'danger' }
            : { text: t('statusUnconfirmed'), tone: 'warning' },
    };
  }
  const state = shownState(snapshot);
  return { word, state, title: titleOf(state, snapshot, catalog), badge: badgeOf(state, snapshot, now) };
}

/** A plan or a trial whose end has come without a word of the server since (docs/decisions/0140-offline-policy.md). */
function wordOf(snapshot: EntitlementSnapshot, now: number): StatusHead['word'] {
  const { cancelAtPeriodEnd, currentPeriodEnd, lapsedAt, contactAt } = snapshot;
  const isLapsed = lapsedAt !== undefined && contactAt < lapsedAt;
  if (!isLapsed) return accessView(snapshot, now).staleness === 'unconfirmed' ? 'unconfirmed' : 'holds';
  const isOver = currentPeriodEnd !== null && currentPeriodEnd <= now;
  return cancelAtPeriodEnd && isOver ? 'ended' : 'lapsed';
}

/**
 * The billing state, but for a plan that is there and gives no access by the service's own word: its payment is overdue,
 * or (`withheld`) disputed, paused or not confirmed in time. No other plan can be bought beside it.
 */
function shownState({ state, plan, status }: EntitlementSnapshot): StatusHead['state'] {
  if (state !== 'free' || plan === null || !isRunning(status)) return state;
  return isOverdue(status) ? 'past_due' : 'withheld';
}

function titleOf(
  state: StatusHead['state'],
  { plan }: EntitlementSnapshot,
  { plans }: Pick<Catalog, 'plans'>,
): string {
  if (state === 'lifetime') return lifetimeName(plan);
  if (state !== 'free') return planNameOf(plan);
  return plans.length === 0 ? t('statusPayAsYouGo') : t('planFree');
}

function badgeOf(
  state: StatusHead['state'],
  { currentPeriodEnd: end }: EntitlementSnapshot,
  now: number,
): StatusHead['badge'] {
  switch (state) {
    case 'free':
      return null;
    case 'trial': {
      const days = end === null ? null : daysLeft(end, now);
      const text = days === null ? t('statusTrial') : tCount(days, 'statusTrialLeft', String(days));
      return { text, tone: 'good' };
    }
    case 'active':
      return { text: t('statusActive'), tone: 'good' };
    case 'lifetime':
      return { text: t('statusLifetime'), tone: 'good' };
    case 'cancel_pending':
      return { text: t('statusEnding'), tone: 'warning' };
    case 'past_due':
      return { text: t('statusPastDue'), tone: 'danger' };
    case 'withheld':
      return { text: t('statusOnHold'), tone: 'danger' };
    default:
      return state satisfies never;
  }
}
