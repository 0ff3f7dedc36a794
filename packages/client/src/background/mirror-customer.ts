import type { Millis } from '@extension-billing/contract/customer';
import { unexpired } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { within } from '../promises.ts';
import type { SnapshotWriter } from '../snapshot/write.ts';
import type { ExpectedCredits } from './expected-credits.ts';
import { createLinger } from './linger.ts';
import type { ListenToCustomer } from './listen-to-customer.ts';
import { isLookDue } from './look-due.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 30_000;
/** A look that nobody waits for is given up after this long, until the next wake. */
const LOOK_WITHIN_MS = 30_000;

/**
 * Keeps the stored snapshot equal to the user's record while somebody looks at it. For nobody it has one look at the
 * record, where one is due: a listener costs a read when it begins, and a worker begins many times a day.
 */
export interface CustomerMirror {
  /** Of this user's record and no other; null stops. What is stored stays as it is. */
  follow(uid: string | null): void;
  /**
   * Somebody looks: listens until nobody does, and again when the listener ended or has missed what a consume was
   * answered a while ago. While the server is heard, writes its last word again: that confirms it, and undoes what others
   * wrote over it.
   */
  ensure(): void;
  /** The worker is up for something else: hears the server once, where its last word is too old to go by. */
  look(): void;
  /** The extension was updated: hears the server once, for what the version before did not know how to store. */
  distrust(): void;
  /** What the server says now of the user who is followed, or that it cannot be heard. */
  word(ms: number): Promise<ServerWord>;
  /** True once the server has answered since the listener was attached; false after `ms` without. */
  heard(ms: number): Promise<boolean>;
}

/** `record` is null where the server says that there is none. */
export type ServerWord =
  | { readonly kind: 'heard'; readonly uid: string; readonly record: CustomerRecord | null }
  | { readonly kind: 'silent' };

export interface MirrorDeps {
  readonly listen: ListenToCustomer;
  readonly writer: Pick<
    SnapshotWriter,
    'begin' | 'current' | 'listening' | 'record' | 'isBehind' | 'restore'
  >;
  /** What an account without credits on record will have. */
  readonly expected?: ExpectedCredits['of'];
  /** The server cannot be heard, or does not let this user listen. */
  readonly unheard: (uid: string) => void;
  readonly later: (step: () => void, ms: number) => void;
  readonly now: () => Millis;
}

export function createCustomerMirror(deps: MirrorDeps): CustomerMirror {
  const { listen, writer, expected, unheard, later, now } = deps;
  let followed: string | null = null;
  let detach: (() => void) | null = null;
  let retryMs = RETRY_FIRST_MS;
  /** A listener has failed, and another one waits for its time. */
  let isRetrying = false;
  let answer = Promise.withResolvers<void>();
  let isAnswered = false;
  /** The server's last word while it is heard. */
  let latest: { readonly record: CustomerRecord | null; readonly write: () => void } | null = null;
  let contactAt: Millis = 0;
  const watched = createLinger({ now, later }, rest);
  /** Until when one answer is waited for, though nobody looks. */
  let lookUntil: Millis = 0;
  /** What is stored may be less than the server said. */
  let isDistrusted = false;
  const isWanted = (): boolean => now() < lookUntil || watched.isOn();

  /** Callers that wait already keep waiting for the same answer. */
  function waitAgain(): void {
    if (isAnswered) answer = Promise.withResolvers<void>();
    isAnswered = false;
  }

  function attach(uid: string): void {
    let mine = true;
    isRetrying = false;
    waitAgain();
    let given: CustomerRecord | null = null;
    latest = null;
    writer.listening();

    /** Writes what can be spent now, and again when a hold expires: no record comes to say that. */
    async function project(record: CustomerRecord | null): Promise<void> {
      const open = unexpired(record?.creditHolds ?? [], now());
      if (open.length > 0) {
        const first = Math.min(...open.map(({ expiresAt }) => expiresAt));
        later(() => void (mine && record === given && project(record)), first - now());
      }
      if (record?.creditsRemaining !== undefined) return writer.record(uid, record, contactAt);
      const credits = await expected?.(uid);
      // Meanwhile a newer record may have come.
      if (mine && record === given) await writer.record(uid, record, contactAt, credits);
    }
    const stop = listen(uid, {
      onRecord(record) {
        if (!mine) return;
        retryMs = RETRY_FIRST_MS;
        given = record;
        latest = { record, write: () => void project(record) };
        contactAt = now();
        const written = (): void => {
          if (!mine) return;
          isDistrusted = false;
          isAnswered = true;
          // What a consume did meanwhile comes with the next record, and nobody would ask for that.
          if (!writer.isBehind(record?.updatedAt ?? 0, 0)) lookUntil = 0;
          answer.resolve();
          rest();
        };
        project(record).then(written, written);
      },
      onSilence() {
        if (!mine) return;
        unheard(uid);
        if (latest === null) return;
        latest = null;
        waitAgain();
      },
      onError() {
        // An error ends a Firestore listener for good: a rule, or a token that was refused a moment ago.
        if (!mine) return;
        mine = false;
        detach = null;
        latest = null;
        unheard(uid);
        isRetrying = true;
        later(attachAgain, retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_LAST_MS);
      },
    });
    detach = () => {
      mine = false;
      stop();
    };
  }
  function end(): void {
    detach?.();
    detach = null;
    latest = null;
  }
  function rest(): void {
    if (!isWanted()) end();
  }
  function attachAgain(): void {
    isRetrying = false;
    if (isWanted() && followed !== null && detach === null) attach(followed);
  }
  async function look(): Promise<void> {
    const uid = followed;
    const isFree = (): boolean => uid === followed && detach === null && !isRetrying;
    if (uid === null || !isFree()) return;
    if ((!isDistrusted && !isLookDue(await writer.current(), uid, now())) || !isFree()) return;
    lookUntil = now() + LOOK_WITHIN_MS;
    attach(uid);
    later(rest, LOOK_WITHIN_MS);
  }
  function ensure(): void {
    watched.extend();
    void writer.restore();
    if (followed === null) return;
    if (latest !== null && writer.isBehind(latest.record?.updatedAt ?? 0)) end();
    if (detach === null) attach(followed);
    else if (latest !== null) {
      contactAt = now();
      latest.write();
    }
  }
  async function heard(ms: number): Promise<boolean> {
    return within(
      ms,
      answer.promise.then(() => true),
      false,
    );
  }

  return {
    follow(uid) {
      if (uid !== followed) {
        end();
        lookUntil = 0;
        isRetrying = false;
        followed = uid;
        if (uid !== null) void writer.begin(uid);
      }
      if (watched.isOn()) attachAgain();
      else void look();
    },
    ensure,
    look: () => void look(),
    distrust() {
      isDistrusted = true;
      void look();
    },
    heard,
    async word(ms) {
      ensure();
      await heard(ms);
      return followed === null || latest === null
        ? { kind: 'silent' }
        : { kind: 'heard', uid: followed, record: latest.record };
    },
  };
}
