import type { FreeCredits } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import type { Period } from '@extension-billing/contract/period';
import {
  advance,
  FREE,
  FREE_GUEST,
  isFreePool,
  NOT_BEGUN,
  type Pool,
  periodAt,
} from '@extension-billing/contract/schedule';
import type { Claimant } from './identity.ts';

// Who gets which free credits, decided without I/O: the first ones, those of somebody who returns, those of a guest who
// becomes somebody (docs/free-credits.md).

/** The share of the catalogue's free credits that is somebody's. */
export interface FreeShare {
  /** Whole credits of a period; 0: none. */
  readonly credits: number;
  /** The identity that has them once for all its accounts; null for a guest's, which are the account's alone. */
  readonly identity: string | null;
}

/** The share of whoever asks: a guest's for everybody who is not known, or not known well enough. */
export function shareOf(free: FreeCredits, claimant: Claimant): FreeShare {
  if (claimant.kind === 'nobody') return { credits: 0, identity: null };
  const isKnown = claimant.kind === 'identity' && (claimant.isVerified || !free.verifiedEmail);
  return isKnown
    ? { credits: free.credits, identity: claimant.hash }
    : { credits: free.guests, identity: null };
}

/** `free_identities/{hash}`: that an identity has had free credits. It stays when the account is deleted. */
export interface FreeIdentity {
  /** The account that has them now. */
  readonly uid: string;
  /** Its periods begin here, whichever account has them. */
  readonly anchor: Millis;
}

/** What is known of an identity that an account asks for. */
export type Holder =
  /** Nobody has had free credits by this identity. */
  | { readonly kind: 'nobody' }
  /** Another account has them, and lives. */
  | { readonly kind: 'another' }
  /**
   * The account that had them is gone, or has lost them. `pool`: what is left of them in its record, if it is there.
   */
  | { readonly kind: 'gone'; readonly anchor: Millis; readonly pool: Pool | null };

/** What is written in one transaction. Null: nothing. */
export interface FreeGrant {
  /** The account's pool of free credits from now on. */
  readonly pool: Pool;
  /** The identity's document from now on; null where nobody's changes. */
  readonly identity: FreeIdentity | null;
  /** The pool of the account that had them before, which gets no more; null where there is none. */
  readonly ended: Pool | null;
}

/** A record's free credits. */
export function freePoolOf(pools: readonly Pool[]): Pool | null {
  return pools.find(isFreePool) ?? null;
}

/** Whether an account may be due free credits that its record does not have: the question that costs no call. */
export function mayBeDue(share: FreeShare, pool: Pool | null, now: Millis): boolean {
  if (share.credits === 0) return false;
  if (pool === null) return true;
  const isOpenGuest = pool.source === FREE_GUEST && (pool.until === null || now >= pool.until);
  return share.identity !== null && isOpenGuest;
}

/**
 * What an account gets, given what it has and who had the free credits of its identity before.
 *
 * @param holder of `share.identity`; `nobody` for a guest's share
 */
export function decideFree(
  { uid, share, free }: { readonly uid: string; readonly share: FreeShare; readonly free: FreeCredits },
  pool: Pool | null,
  holder: Holder,
  now: Millis,
): FreeGrant | null {
  if (!mayBeDue(share, pool, now)) return null;
  const { identity, credits } = share;
  const fresh: Pool = {
    source: identity === null ? FREE_GUEST : FREE,
    kind: 'allowance',
    amount: credits,
    every: free.every,
    anchor: now,
    from: now,
    until: null,
    ...(free.limits !== undefined && { limits: free.limits }),
    left: credits,
    period: now,
  };
  if (identity === null) return { pool: fresh, identity: null, ended: null };
  switch (holder.kind) {
    case 'nobody': {
      const begun = pool === null ? fresh : toppedUp(pool, fresh, now);
      return { pool: begun, identity: { uid, anchor: begun.anchor }, ended: null };
    }
    case 'another':
      // The identity has its credits elsewhere: what a guest was given before lasts to the end of its period.
      return pool === null || pool.every === 'once'
        ? null
        : { pool: closed(pool), identity: null, ended: null };
    case 'gone': {
      const ended = holder.pool === null ? null : closed(holder.pool);
      const begun = returned(fresh, pool, holder, now);
      return { pool: begun, identity: { uid, anchor: holder.anchor }, ended };
    }
    default:
      return holder satisfies never;
  }
}

/** A guest's pool once the guest is somebody: the whole amount from now on, and of this period what was lacking. */
function toppedUp(pool: Pool, { source, amount, until }: Pool, now: Millis): Pool {
  const current = advance(pool, now);
  return { ...current, source, amount, until, left: current.left + Math.max(0, amount - pool.amount) };
}

/** The pool of an identity that had one before: nothing before the period that follows the last one it had. */
function returned(
  fresh: Pool,
  guests: Pool | null,
  holder: Extract<Holder, { kind: 'gone' }>,
  now: Millis,
): Pool {
  const { source, amount, every } = fresh;
  // Once is once: a guest's own credits stay, and nothing is added to them.
  if (every === 'once') return guests === null ? { ...fresh, left: 0, until: now } : { ...guests, source };
  const { anchor } = holder;
  const from = Math.max(now, dueFrom(holder, every, now));
  if (from === now) {
    const left = guests === null ? amount : toppedUp(guests, fresh, now).left;
    return { ...fresh, anchor, left };
  }
  if (guests === null) return { ...fresh, anchor, from, left: 0, period: NOT_BEGUN };
  return { ...fresh, anchor, from, left: advance(guests, now).left };
}

/** When the first period begins of which the account before this one has had nothing. */
function dueFrom({ anchor, pool }: Extract<Holder, { kind: 'gone' }>, every: Period, now: Millis): Millis {
  const isKnown = pool !== null && pool.every !== 'once';
  return isKnown ? endOfSeen(pool, pool.every) : periodAt(anchor, every, now).end;
}

/** The pool without another period: what is left of the newest one stays until its end. */
function closed(pool: Pool): Pool {
  const { every, until } = pool;
  if (every === 'once') return pool;
  const end = endOfSeen(pool, every);
  return { ...pool, until: until === null ? end : Math.min(until, end) };
}

/** The end of the newest period that a pool has begun; its beginning where it has begun none. */
function endOfSeen({ anchor, from, period }: Pool, every: Period): Millis {
  return period === NOT_BEGUN ? from : Math.max(from, periodAt(anchor, every, period).end);
}
