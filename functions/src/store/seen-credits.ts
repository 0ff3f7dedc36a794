import type { Millis } from '@extension-billing/contract/customer';
import type { Timestamp } from 'firebase-admin/firestore';
import type { Credits } from '../domain/credits.ts';
import type { Uid } from '../domain/uid.ts';

/** A record's credits as this instance last saw them, with the version that a write on top of them names. */
export interface SeenCredits {
  readonly credits: Credits;
  readonly updatedAt: Millis;
  readonly version: Timestamp;
}

const MOST_USERS = 10_000;
/** A memory that turns out stale costs three calls instead of one, so it is only trusted while it is young. */
const TRUSTED_FOR: Millis = 60_000;

/**
 * The records that this instance wrote or read lately, so that the next request needs no read. It is never
 * believed by itself: a write on top of it carries the version as its precondition.
 */
export class RememberedCredits {
  readonly #seen = new Map<Uid, { readonly seen: SeenCredits; readonly at: Millis }>();

  recall(uid: Uid, now: Millis): SeenCredits | null {
    const known = this.#seen.get(uid);
    return known !== undefined && now - known.at < TRUSTED_FOR ? known.seen : null;
  }

  remember(uid: Uid, seen: SeenCredits, now: Millis): void {
    this.#seen.delete(uid);
    this.#seen.set(uid, { seen, at: now });
    if (this.#seen.size <= MOST_USERS) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  forget(uid: Uid): void {
    this.#seen.delete(uid);
  }
}
