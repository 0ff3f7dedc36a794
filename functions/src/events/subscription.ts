import type { Millis } from '@extension-billing/contract/customer';
import { isOver } from '@extension-billing/contract/subscription-status';
import {
  type Fact,
  type SubscriptionFact,
  type SubscriptionState,
  UNORDERED_WITHIN,
} from '../stripe/facts.ts';

type SubscriptionSeen = Extract<Fact, { kind: 'subscription_seen' }>;

/** No part of the provider is behind the others for longer. */
const PROVIDER_LAGS: Millis = 60_000;

/**
 * The newer of what is known and what an event says (design, section 5): a terminal state beats all for ever;
 * the announcing snapshot loses to every other; then the event's time decides, except within two seconds,
 * where two different states cannot be ordered from the payload.
 */
export function mergeSubscription(
  known: SubscriptionFact | undefined,
  seen: SubscriptionSeen,
): SubscriptionFact | 'undecidable' {
  const next: SubscriptionFact = {
    state: seen.state,
    first: seen.first,
    at: seen.at,
    ticket: known?.ticket ?? 0,
  };
  if (known === undefined) return { ...next, merged: 1 };
  const newest = newerOf(known, next);
  if (newest === 'undecidable') return newest;
  const trialed = known.state.trialed || next.state.trialed;
  const merged = mergedIn(known) + 1;
  return { ...newest, ticket: known.ticket, merged, state: { ...newest.state, trialed } };
}

function newerOf(known: SubscriptionFact, next: SubscriptionFact): SubscriptionFact | 'undecidable' {
  if (isOver(known.state.status) !== isOver(next.state.status))
    return isOver(known.state.status) ? known : next;
  if (isOver(known.state.status)) return latest(known, next);
  if (known.first !== next.first) return known.first ? next : known;
  const isSame = sameState(known.state, next.state);
  if (known.undated === true) return isSame ? known : 'undecidable';
  if (isSame) return known.at >= next.at ? known : next;
  if (Math.abs(known.at - next.at) <= UNORDERED_WITHIN) return 'undecidable';
  return latest(known, next);
}

/** Between equals by time, a strict order that does not depend on arrival. */
function latest(a: SubscriptionFact, b: SubscriptionFact): SubscriptionFact {
  if (a.at !== b.at) return a.at > b.at ? a : b;
  return JSON.stringify(orderedState(a.state)) >= JSON.stringify(orderedState(b.state)) ? a : b;
}

/** Whether two snapshots say the same; `trialed` only ever becomes true and orders nothing. */
export function sameState(a: SubscriptionState, b: SubscriptionState): boolean {
  return JSON.stringify(orderedState(a)) === JSON.stringify(orderedState(b));
}

function orderedState(state: SubscriptionState): readonly unknown[] {
  const { behavior = null, resumesAt = null } = state.pause ?? {};
  // Null where it is not known, as in facts from before it was kept: alone it makes no difference.
  const { amount, currency, interval, count } = state.renewal ?? {};
  const renewal = [amount, currency, interval, count];
  const { status, cancel, lookupKey, periodEnd, entitlements = null, empty = false } = state;
  return [status, cancel, lookupKey, periodEnd, behavior, resumesAt, entitlements, empty, ...renewal];
}

/** Snapshots merged so far. */
export function mergedIn(known: SubscriptionFact | undefined): number {
  return known?.merged ?? 0;
}

/** What the provider answered when it was asked, and the fencing token that was taken before asking. */
export interface Answer {
  readonly token: number;
  /** Snapshots merged before the question. */
  readonly over: number;
  /** Null: the provider does not know this subscription. */
  readonly state: SubscriptionState | null;
}

/**
 * Settles two snapshots that could not be ordered with the provider's answer.
 * - A newer fencing token was already applied: its question was put after this event existed, so it accounts for it.
 * - A snapshot was merged since the question: the answer may be older than that one, so it is `outdated`.
 * - The answer is one of the two, or says that the subscription ended: that is the newest state.
 * - Anything else is older than both, or newer than both with its own event on the way: `retry`.
 * - The provider does not know the subscription: nothing better than the order of arrival is left.
 * - The answer is the one that is stamped earlier, and the other is new: a part of the provider may not have
 *   heard of it yet, so `retry`. After a minute it has, and the answer means that the change was taken back.
 */
export function settleSubscription(
  known: SubscriptionFact,
  seen: SubscriptionSeen,
  answer: Answer,
  now: Millis,
): SubscriptionFact | 'retry' | 'outdated' {
  const at = Math.max(known.at, seen.at);
  const trialed = known.state.trialed || seen.state.trialed || answer.state?.trialed === true;
  const merged = mergedIn(known) + 1;
  const keep = { ...known, at, merged, state: { ...known.state, trialed } };
  if (answer.token <= known.ticket) return keep;
  if (answer.over !== mergedIn(known)) return 'outdated';
  const { state, token: ticket } = answer;
  if (state === null) {
    return known.at > seen.at
      ? keep
      : { state: { ...seen.state, trialed }, first: false, at, ticket, merged };
  }
  if (!isOver(state.status) && !sameState(state, known.state) && !sameState(state, seen.state))
    return 'retry';
  const isDated = known.undated !== true && known.at !== seen.at;
  const isEarlier = isDated && sameState(state, known.at < seen.at ? known.state : seen.state);
  if (isEarlier && Math.abs(now - at) < PROVIDER_LAGS) return 'retry';
  const undated = known.undated === true && sameState(state, known.state);
  return { state: { ...state, trialed }, first: false, at, ticket, merged, ...(undated && { undated }) };
}

type SubscriptionAsked = Extract<Fact, { kind: 'subscription_asked' }>;

/**
 * Puts the provider's own answer in place of what is known, when someone asked without an event (reconcile).
 * - A newer fencing token was already applied, or the subscription ended: what is known stays.
 * - An event was applied since the question: the answer may be older than it, so it must be asked again.
 * - Else the answer holds, without a time: the next event that says something else asks once more.
 */
export function applyAsked(
  known: SubscriptionFact | undefined,
  { state, ticket, over }: SubscriptionAsked,
): SubscriptionFact | 'undecidable' {
  if (known === undefined) {
    return over === null ? { state, first: false, at: 0, ticket, undated: true } : 'undecidable';
  }
  if (known.ticket >= ticket) return known;
  if (over === null || !isSameFact(known, over)) return 'undecidable';
  if (isOver(known.state.status) && !isOver(state.status)) return known;
  const trialed = known.state.trialed || state.trialed;
  const merged = mergedIn(known) + 1;
  return { state: { ...state, trialed }, first: false, at: known.at, ticket, merged, undated: true };
}

function isSameFact(a: SubscriptionFact, b: SubscriptionFact): boolean {
  return (
    mergedIn(a) === mergedIn(b) &&
    a.at === b.at &&
    a.ticket === b.ticket &&
    a.first === b.first &&
    sameState(a.state, b.state)
  );
}
