import type { Millis } from '@extension-billing/contract/customer';
import { isOverdue } from '@extension-billing/contract/subscription-status';
import type { Facts, ImportedRecord } from './facts.ts';
import type { AllowanceGrant } from './grant.ts';
import type { SubscriptionFact, SubscriptionState } from './subscription-fact.ts';

/**
 * How long what was told may be believed (docs/decisions/0103-how-long-a-word-holds.md): pure functions of the facts,
 * so that whoever knows the time knows what is in force. All in milliseconds.
 */
const DAY: Millis = 24 * 60 * 60 * 1000;

/** After a period that should have been renewed or ended: the provider delivers for three days, and is compared daily. */
export const SILENCE_GRACE: Millis = 7 * DAY;
/** After what was paid, while the provider tries to collect the next payment. */
export const PAST_DUE_GRACE: Millis = 30 * DAY;
/** The same where nothing was ever paid: a trial whose first payment failed. */
export const NEVER_PAID_GRACE: Millis = 3 * DAY;
/** After what was paid, while the owner of the project has paused its collection and serves for free. */
export const PAUSED_GRACE: Millis = 30 * DAY;
/** After the period that it was paid for, an allowance that nothing has replaced. */
export const ALLOWANCE_GRACE: Millis = 30 * DAY;

/**
 * Until when a subscription in a paying status entitles; null where nothing tells.
 *
 * @param id of the subscription
 */
export function entitledUntil(facts: Facts, id: string, { state }: SubscriptionFact): Millis | null {
  const grant = facts.grants[id];
  // What the newest paid invoice paid for; before any is known, nothing of the running period is.
  const paidThrough = grant === undefined ? (state.periodStart ?? null) : paidUpTo(grant, state);
  const pause = state.pause ?? null;
  if (pause !== null) {
    const from = paidThrough ?? state.periodEnd;
    if (pause.behavior === 'void') return from;
    const resumed = pause.resumesAt === null ? null : pause.resumesAt + SILENCE_GRACE;
    return from === null ? resumed : Math.max(from + PAUSED_GRACE, resumed ?? 0);
  }
  if (isOverdue(state.status)) {
    const from = paidThrough ?? state.periodEnd;
    return from === null ? null : from + (hasPaid(facts, grant) ? PAST_DUE_GRACE : NEVER_PAID_GRACE);
  }
  return state.periodEnd === null ? null : state.periodEnd + SILENCE_GRACE;
}

/**
 * Facts from before its end was kept: what was paid for began when the grant did, lasted as long as the running period
 * does, and ended before that one began, where that is another.
 */
function paidUpTo({ periodStart, periodEnd }: AllowanceGrant, state: SubscriptionState): Millis | null {
  if (periodEnd !== undefined) return periodEnd;
  const { periodStart: start = null, periodEnd: end } = state;
  if (start === null || start <= periodStart) return null;
  return end === null ? start : Math.min(start, periodStart + end - start);
}

/** Facts from before amounts were kept do not say: whoever has an invoice there counts as having paid. */
function hasPaid({ imported }: Facts, grant: AllowanceGrant | undefined): boolean {
  if (grant === undefined) return imported?.paid === true;
  return grant.costly ?? true;
}

/** Until when a plan that was imported entitles, while no event has told of its subscription; null: for ever. */
export function importedUntil({ currentPeriodEnd }: ImportedRecord): Millis | null {
  return currentPeriodEnd === null ? null : currentPeriodEnd + SILENCE_GRACE;
}

/** Whether an allowance is over by the clock alone. */
export function isLapsed({ periodEnd }: AllowanceGrant, now: Millis): boolean {
  return periodEnd != null && now >= periodEnd + ALLOWANCE_GRACE;
}

/** Whether what holds until then holds now; without a bound it does. */
export function isWithin(until: Millis | null, now: Millis): boolean {
  return until === null || now < until;
}
