import type { FreeCredits } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import type { Period } from '@extension-billing/contract/period';
import {
  FREE,
  FREE_GUEST,
  isFreePool,
  NOT_BEGUN,
  type Pool,
  periodAt,
} from '@extension-billing/contract/schedule';
import type { Claimant } from './identity.ts';

// Who gets which free credits, decided without I/O. Each period is given when it is first asked for; an identity's
// document says up to when its periods have been given, whichever of its accounts asked (docs/free-credits.md).

/** The part of the catalogue's free credits that a claimant gets. */
export interface FreeShare {
  /** Whole credits of a period; 0: none. */
  readonly credits: number;
  /** Firebase Auth shows users of custom tokens as guests: to a service, any of these may be a guest. */
  readonly isGuest: boolean;
  /** The identity whose accounts share them; null for a guest, whose credits belong to the account. */
  readonly identity: string | null;
}

/** Unknown claimants, and those not known well enough, get a guest's share. */
export function shareOf(free: FreeCredits, claimant: Claimant): FreeShare {
  if (claimant.kind === 'nobody') return { credits: 0, isGuest: false, identity: null };
  const isKnown = claimant.kind === 'identity' && (claimant.isVerified || !free.verifiedEmail);
  return isKnown
    ? { credits: free.credits, isGuest: false, identity: claimant.hash }
    : { credits: free.guests, isGuest: claimant.kind === 'guest', identity: null };
}

/**
 * Whether none of an account's free credits may be spent, not even those given earlier. A guest's share of 0 doesn't stop
 * those that an identity was given: who asks for them may be a service whose user has a custom token.
 */
export function isOff({ credits, isGuest }: FreeShare, pool: Pool | null): boolean {
  return credits === 0 && !(isGuest && pool?.source === FREE);
}

/** `free_identities/{hash}`: the newest period given to an identity. It stays when the account is deleted. */
export interface FreeIdentity {
  /** The account that got it. */
  readonly uid: string;
  /** The identity's periods begin here, whichever account gets them. */
  readonly anchor: Millis;
  /**
   * When that period ends; null for `once`. Absent in documents from before 2026-11, when one account kept the
   * identity's periods until it was deleted.
   */
  readonly until?: Millis | null;
}

/** What one transaction writes. */
export interface FreeGrant {
  /** The account's free credits from now on. */
  readonly pool: Pool;
  /** The identity's document from now on; null if it doesn't change. */
  readonly identity: FreeIdentity | null;
}

/** As much of the catalogue's free credits as the decision depends on. */
type Terms = Pick<FreeCredits, 'every' | 'limits'>;

/** A record's free credits. */
export function freePoolOf(pools: readonly Pool[]): Pool | null {
  return pools.find(isFreePool) ?? null;
}

/** Whether an account may be due free credits that its record doesn't have. Needs no call. */
export function mayBeDue(share: FreeShare, { every }: Terms, pool: Pool | null, now: Millis): boolean {
  if (share.credits === 0) return false;
  if (pool === null) return true;
  const isGuestNoMore = pool.source === FREE_GUEST && share.identity !== null;
  return isGuestNoMore || now >= endOfGiven(pool, every);
}

/**
 * The free credits that an account gets now. Whatever it returns, `mayBeDue` is false with the new pool until its period
 * ends.
 *
 * @param known the document of `share.identity`; null for a guest's share and for an identity without one
 * @returns null if it is due none
 */
export function decideFree(
  { uid, share, free }: { readonly uid: string; readonly share: FreeShare; readonly free: Terms },
  pool: Pool | null,
  known: FreeIdentity | null,
  now: Millis,
): FreeGrant | null {
  if (!mayBeDue(share, free, pool, now)) return null;
  const fresh = freshPool(share, free, pool, now);
  // What is left of a guest's credits, and of what it spent, counts while their period lasts.
  const running = pool !== null && now < endOfGiven(pool, free.every) ? pool : null;
  if (share.identity === null) return { pool: fresh, identity: null };
  if (known === null) {
    const begun = running === null ? fresh : toppedUp(running, fresh);
    return { pool: begun, identity: { uid, anchor: begun.anchor, until: endOfPeriod(begun) } };
  }
  const { anchor } = known;
  if (free.every === 'once')
    return { pool: closed(running ?? { ...fresh, left: 0, until: now }), identity: null };
  const due = dueAt(known, { uid, every: free.every }, pool, now);
  if (now >= due) {
    const left = running === null ? fresh.left : toppedUp(running, fresh).left;
    const begun = { ...fresh, anchor, left };
    return { pool: begun, identity: { uid, anchor, until: endOfPeriod(begun) } };
  }
  const kept = running === null ? { left: 0, period: NOT_BEGUN } : { left: running.left };
  const identity = known.until === undefined ? { ...known, until: due } : null;
  return { pool: { ...fresh, anchor, from: due, ...kept }, identity };
}

function freshPool(
  { credits, identity }: FreeShare,
  { every, limits }: Terms,
  pool: Pool | null,
  now: Millis,
): Pool {
  const anchor = pool?.anchor ?? now;
  const isSameWindows = JSON.stringify(pool?.limits) === JSON.stringify(limits);
  return {
    source: identity === null ? FREE_GUEST : FREE,
    kind: 'allowance',
    amount: credits,
    every,
    anchor,
    from: now,
    until: null,
    ...(limits !== undefined && { limits }),
    left: credits,
    period: now,
    ...(isSameWindows && pool?.used !== undefined && { used: pool.used }),
  };
}

/** A guest's pool once the account has an identity: the whole amount in each period, and the difference in this one. */
function toppedUp(pool: Pool, { source, amount, until }: Pool): Pool {
  return { ...pool, source, amount, until, left: Math.max(0, pool.left + amount - pool.amount) };
}

/** The last of an identity's free credits: what is left of them stays until their period ends. */
function closed(pool: Pool): Pool {
  return { ...pool, source: FREE, until: pool.until ?? endOfPeriod(pool), every: 'once' };
}

/** When an identity's next period may be given. */
function dueAt(
  { uid, anchor, until }: FreeIdentity,
  asker: { readonly uid: string; readonly every: Period },
  pool: Pool | null,
  now: Millis,
): Millis {
  const { every } = asker;
  if (until !== undefined) return until ?? periodAt(anchor, every, anchor).end;
  const isHolder = uid === asker.uid && pool?.source === FREE;
  // Another account had them by the clock, and may have spent those of this period.
  return isHolder ? endOfGiven(pool, every) : periodAt(anchor, every, now).end;
}

/** When the period of a pool ends; null if it never does. */
function endOfPeriod({ anchor, every, from, period, until }: Pool): Millis | null {
  if (every === 'once') return until;
  return period === NOT_BEGUN ? from : Math.max(from, periodAt(anchor, every, period).end);
}

/** When a pool is followed by another one, given that the catalogue says `every` now. */
function endOfGiven(pool: Pool, every: FreeCredits['every']): Millis {
  if (pool.every !== 'once') return endOfPeriod(pool) ?? Number.POSITIVE_INFINITY;
  if (every === 'once') return Number.POSITIVE_INFINITY;
  return periodAt(pool.anchor, every, Math.max(pool.from, pool.period)).end;
}

/** A pool whose credits have ended if its period has. No period begins by the clock alone: `decideFree` gives each. */
export function lapsed(pool: Pool, now: Millis): Pool {
  const end = endOfPeriod(pool);
  return pool.left > 0 && end !== null && now >= end ? { ...pool, left: 0 } : pool;
}
