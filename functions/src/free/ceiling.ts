import type { Millis } from '@extension-billing/contract/customer';
import { dayOf } from '@extension-billing/contract/time';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { Log } from '../log.ts';
import { paths } from '../store/documents.ts';
import { isConflict, retry } from '../store/transact.ts';

// The free credits that all accounts together may spend in a day (UTC), leased by instances in blocks.

/** An instance leases this part of what is left at once: an instance that ends loses little. */
const SHARE_OF_REST = 1 / 20;
/** After the day's last credits were leased, the counter is read again this much later: others may return some. */
const ASKED_AGAIN_AFTER: Millis = 60_000;
/** TTL of a day's counter. */
const KEPT_FOR: Millis = 35 * 24 * 60 * 60 * 1000;

const MAX_ATTEMPTS = 20;

/** What an instance may still give out of the day's free credits. */
interface Lease {
  readonly day: string;
  readonly ceiling: number;
  left: number;
  /** Credits of the newest block. */
  block: number;
  /** The whole day was leased: the counter isn't read again before this. */
  spentUntil: Millis;
  isReported: boolean;
}

/**
 * The ceiling as one instance sees it. All instances together lease at most `ceiling` credits of a day, and each gives
 * out only what it leased: the ceiling is never passed. What is left of a lease when its instance ends, and what was
 * taken for a write whose answer was lost, is lost for the day.
 */
export class FreeCeiling {
  readonly #firestore: Firestore;
  readonly #log: Pick<Log, 'error'>;
  #lease: Lease | null = null;
  #leasing: Promise<unknown> = Promise.resolve();

  constructor(firestore: Firestore, log: Pick<Log, 'error'>) {
    this.#firestore = firestore;
    this.#log = log;
  }

  /** Takes credits of the lease at hand, without a call. False, and nothing taken, if it has fewer. */
  take(credits: number, ceiling: number, now: Millis): boolean {
    const lease = this.#current(ceiling, now);
    if (lease.left < credits) return false;
    lease.left -= credits;
    return true;
  }

  /**
   * Gives back what was taken for a write that failed, or what a hold let go. Lost if that day is over. What an instance
   * then has beyond two blocks goes back to all of them.
   */
  giveBack(credits: number, ceiling: number, now: Millis): void {
    const lease = this.#lease;
    if (lease?.day !== dayOf(now) || lease.ceiling !== ceiling) return;
    lease.left += credits;
    const surplus = lease.left - lease.block;
    if (surplus <= lease.block) return;
    lease.left = lease.block;
    // If the answer is lost, so are the credits for this day: returned twice, they would be spent twice.
    this.#leasing = this.#leasing.then(() => this.#count(lease.day, () => -surplus)).catch(() => {});
  }

  /**
   * Leases more, until `credits` can be taken or the day has no more of them.
   *
   * @returns what can be taken now
   */
  async atLeast(credits: number, ceiling: number, now: Millis): Promise<number> {
    // One after the other: what one leases mostly covers those who wait behind it.
    const leasing = this.#leasing.then(async () => {
      const lease = this.#current(ceiling, now);
      if (lease.left < credits && now >= lease.spentUntil)
        await this.#extend(lease, credits - lease.left, now);
      return lease.left;
    });
    this.#leasing = leasing.catch(() => {});
    return leasing;
  }

  #current(ceiling: number, now: Millis): Lease {
    const lease = this.#lease;
    // A request from before midnight that is served after it counts for the new day.
    const day = lease !== null && lease.day > dayOf(now) ? lease.day : dayOf(now);
    if (lease?.day === day && lease.ceiling === ceiling) return lease;
    const fresh = { day, ceiling, left: 0, block: 0, spentUntil: 0, isReported: false };
    this.#lease = fresh;
    return fresh;
  }

  async #extend(lease: Lease, missing: number, now: Millis): Promise<void> {
    const { day, ceiling } = lease;
    const leased = await this.#count(day, (before) => blockOf(ceiling - before, missing));
    lease.left += leased;
    lease.block = Math.max(1, leased);
    if (leased >= missing) return;
    lease.spentUntil = now + ASKED_AGAIN_AFTER;
    if (lease.isReported) return;
    lease.isReported = true;
    // Once for each instance and day: docs/operating.md says how this line wakes the owner.
    this.#log.error('free_ceiling_reached', { day, ceiling });
  }

  /**
   * Adds to a day's counter, and returns what it added. Without a transaction, whose conflicts wait for seconds: at
   * midnight all instances come at once. A lease whose answer was lost counts as leased.
   */
  async #count(day: string, blockFor: (leased: number) => number): Promise<number> {
    const counter = paths.freeDay(this.#firestore, day);
    let isReturn = false;
    const addOnce = async (): Promise<number> => {
      const snapshot = await counter.get();
      const stored: unknown = snapshot.get('leased');
      const before = typeof stored === 'number' ? stored : 0;
      const block = blockFor(before);
      if (block === 0) return 0;
      isReturn = block < 0;
      const fields = { leased: before + block, expireAt: Timestamp.fromMillis(Date.parse(day) + KEPT_FOR) };
      if (snapshot.updateTime === undefined) await counter.create(fields);
      else await counter.update(fields, { lastUpdateTime: snapshot.updateTime });
      return block;
    };
    return retry(addOnce, (error, attempt) => {
      // The client retries a commit whose answer was lost, so a return's conflict may be with itself.
      if (!isConflict(error) || isReturn || attempt + 1 >= MAX_ATTEMPTS) return null;
      return Math.random() * Math.min(200, 2 ** (attempt + 1));
    });
  }
}

/** How much is leased of what the day has left: what is missing, or a share that shrinks with it. Whole credits. */
export function blockOf(rest: number, missing: number): number {
  return Math.min(Math.max(0, rest), Math.max(missing, Math.ceil(rest * SHARE_OF_REST)));
}

/** One for each client of the database, and so for each instance. */
const ceilings = new WeakMap<Firestore, FreeCeiling>();

export function ceilingOf(firestore: Firestore, log: Pick<Log, 'error'>): FreeCeiling {
  const known = ceilings.get(firestore) ?? new FreeCeiling(firestore, log);
  ceilings.set(firestore, known);
  return known;
}
