import type { Catalog } from '@extension-billing/contract/catalog';
import type { BillingState } from '@extension-billing/contract/customer';
import { isOverdue, isRunning } from '@extension-billing/contract/subscription-status';
import { accessView } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { daysLeft } from '../format.ts';
import { lifetimeName, planNameOf } from '../plans/plan-names.ts';
import { type MessageKey, t, tCount } from '../text/texts.ts';

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
  if (word === 'holds') {
    const state = shownState(snapshot);
    return { word, state, title: titleOf(state, snapshot, catalog), badge: badgeOf(state, snapshot, now) };
  }
  return {
    word,
    state: word === 'unconfirmed' ? snapshot.state : 'free',
    title: planNameOf(snapshot.plan),
    badge: word === 'ended' ? null : badge(...BADGES[word]),
  };
}

type Badge = NonNullable<StatusHead['badge']>;
const badge = (key: MessageKey, tone: StatusTone): Badge => ({ text: t(key), tone });

/** What is said of each, but for a trial, whose days are counted. */
const BADGES: Readonly<
  Record<
    Exclude<StatusHead['state'] | StatusHead['word'], 'free' | 'trial' | 'holds' | 'ended'>,
    readonly [MessageKey, StatusTone]
  >
> = {
  active: ['statusActive', 'good'],
  lifetime: ['statusLifetime', 'good'],
  cancel_pending: ['statusEnding', 'warning'],
  past_due: ['statusPastDue', 'danger'],
  withheld: ['statusOnHold', 'danger'],
  lapsed: ['statusLapsed', 'danger'],
  unconfirmed: ['statusUnconfirmed', 'warning'],
};

/** A plan or a trial whose end has come without a word of the server since (docs/decisions/client-worker.md). */
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
function shownState({ state, status }: EntitlementSnapshot): StatusHead['state'] {
  if (state !== 'free' || !isRunning(status)) return state;
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
  if (state === 'free') return null;
  if (state !== 'trial') return badge(...BADGES[state]);
  if (end === null) return badge('statusTrial', 'good');
  const days = daysLeft(end, now);
  return { text: tCount(days, 'statusTrialLeft', String(days)), tone: 'good' };
}
