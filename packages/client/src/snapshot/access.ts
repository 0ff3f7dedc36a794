import type { BillingState, Millis } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import type { EntitlementSnapshot } from './snapshot.ts';

/**
 * How long what was paid for can be used without hearing from the server (docs/decisions/client-worker.md).
 * Pure functions of a snapshot and the time, for pages, hooks and content scripts alike.
 */
/** A renewal happens at the provider, unseen by a browser without a network. */
const RENEWAL_GRACE_MS = 7 * DAY;
/** Without a word of the server for this long, nothing but a lifetime plan is believed. */
const CONTACT_WITHIN_MS: Millis = 30 * DAY;
/** A device's clock may be wrong by this much: a user whom the server has just confirmed keeps access. */
const CLOCK_TOLERANCE_MS = DAY;
/** How long a page that has a network waits for the server before it believes that access has ended. */
export const ANSWER_WITHIN_MS: Millis = 10_000;

/**
 * `confirmed`: what the server said last still holds by itself. `unconfirmed`: the period or trial that it spoke of is
 * over and it has not been heard since; access goes on until `accessUntil`. `lapsed`: it has not been heard for too
 * long, or the end that it had announced has come, and access has ended.
 */
export type Staleness = 'confirmed' | 'unconfirmed' | 'lapsed';

/** What may be used now, and how sure that is. */
export interface AccessView {
  /** Whether what is paid for may be used now. */
  readonly entitled: boolean;
  readonly staleness: Staleness;
  /** When access ends unless the server is heard from before; null: not by time, or nothing is paid. */
  readonly accessUntil: Millis | null;
}

/** What a snapshot is worth at `now`. */
export function accessView(snapshot: EntitlementSnapshot | null, now: Millis): AccessView {
  if (snapshot === null || !snapshot.paid) {
    return { entitled: false, staleness: 'confirmed', accessUntil: null };
  }
  const accessUntil = paidUntil(snapshot, now);
  if (accessUntil !== null && now >= accessUntil)
    return { entitled: false, staleness: 'lapsed', accessUntil };
  return {
    entitled: true,
    staleness: isPeriodOver(snapshot, now) ? 'unconfirmed' : 'confirmed',
    accessUntil,
  };
}

/**
 * The snapshot as a page shows it at `now`: where access has lapsed nothing is paid, the state is `free`, and `lapsedAt`
 * says since when. Everything else stays, so that a page can say of what. The same object where nothing changes.
 */
export function snapshotAt(snapshot: EntitlementSnapshot, now: Millis): EntitlementSnapshot {
  const { staleness, accessUntil } = accessView(snapshot, now);
  return staleness === 'lapsed' && accessUntil !== null
    ? { ...snapshot, paid: false, state: 'free', entitlements: [], lapsedAt: accessUntil }
    : withoutEnded(snapshot, now);
}

function withoutEnded(snapshot: EntitlementSnapshot, now: Millis): EntitlementSnapshot {
  const entitlements = snapshot.entitlements.filter((name) => isHeld(snapshot, name, now));
  return entitlements.length === snapshot.entitlements.length ? snapshot : { ...snapshot, entitlements };
}

/**
 * Whether an entitlement of a snapshot that entitles holds at `now`. One that a bound ends comes with a subscription,
 * also beside a lifetime plan: it is believed as long as that one would be alone.
 */
export function isHeld(snapshot: EntitlementSnapshot, name: string, now: Millis): boolean {
  const { entitlementsUntil, runningSubscription: running } = snapshot;
  if (!Object.hasOwn(entitlementsUntil, name)) return true;
  const contactAt = contactOf(snapshot, now);
  const bounds = [entitlementsUntil[name] ?? 0, contactAt + CONTACT_WITHIN_MS];
  if (running?.cancelAtPeriodEnd === true && running.currentPeriodEnd !== null) {
    bounds.push(Math.max(running.currentPeriodEnd, contactAt + CLOCK_TOLERANCE_MS));
  }
  return now < Math.min(...bounds);
}

function paidUntil(snapshot: EntitlementSnapshot, now: Millis): Millis | null {
  const { state, currentPeriodEnd, entitledUntil } = snapshot;
  if (state === 'lifetime') return null;
  const contactAt = contactOf(snapshot, now);
  const bounds = [contactAt + CONTACT_WITHIN_MS];
  if (entitledUntil !== null) bounds.push(entitledUntil);
  if (currentPeriodEnd !== null && (state === 'cancel_pending' || entitledUntil === null)) {
    const end = currentPeriodEnd + (state === 'cancel_pending' ? 0 : RENEWAL_GRACE_MS);
    bounds.push(Math.max(end, contactAt + CLOCK_TOLERANCE_MS));
  }
  return Math.min(...bounds);
}

function isPeriodOver(snapshot: EntitlementSnapshot, now: Millis): boolean {
  const { state, currentPeriodEnd } = snapshot;
  if (state === 'lifetime' || currentPeriodEnd === null) return false;
  return now >= currentPeriodEnd && contactOf(snapshot, now) < currentPeriodEnd;
}

/** A contact in the future was stamped by a clock that has been set back since. */
function contactOf({ contactAt }: EntitlementSnapshot, now: Millis): Millis {
  return Math.min(contactAt, now);
}

/** When a view is asked for, and since when its page has been waiting for the server's word; by default it does not. */
export interface Moment {
  readonly now: Millis;
  readonly askedAt?: Millis;
}
/** For who waits for nothing. */
export const rightNow = (): Moment => ({ now: Date.now() });

/** Whether a page waits: nothing is known, or the server may still say that access which lapsed goes on. */
export function isLoading(
  snapshot: EntitlementSnapshot | null,
  { now, askedAt = -Infinity }: Moment,
): boolean {
  if (snapshot === null) return true;
  return accessView(snapshot, now).staleness === 'lapsed' && now - askedAt < ANSWER_WITHIN_MS;
}

/** One billing-state key; null while loading, because naming any key then would be a guess. `free` once lapsed. */
export function billingStateView(
  snapshot: EntitlementSnapshot | null,
  moment: Moment = rightNow(),
): BillingState | null {
  return snapshot === null || isLoading(snapshot, moment) ? null : snapshotAt(snapshot, moment.now).state;
}
