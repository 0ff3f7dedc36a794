import { unexpired } from '@contract/available-credits.ts';
import type { CustomerRecord, Millis } from '@contract/customer.ts';
import type { SnapshotWriter } from '../snapshot/write.ts';
import type { ListenToCustomer } from './listen-to-customer.ts';
import { within } from './within.ts';

const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 30_000;

/** Keeps the stored snapshot equal to the user's record while the worker lives. */
export interface CustomerMirror {
  /** Listens to this user's record and no other; null stops. What is stored stays as it is. */
  follow(uid: string | null): void;
  /** Listens again when the listener ended with an error. */
  ensure(): void;
  /** True once the server has answered since the listener was attached; false after `ms` without. */
  heard(ms: number): Promise<boolean>;
}

export interface MirrorDeps {
  readonly listen: ListenToCustomer;
  readonly writer: Pick<SnapshotWriter, 'begin' | 'record'>;
  readonly later: (step: () => void, ms: number) => void;
  readonly now: () => Millis;
}

export function createCustomerMirror({ listen, writer, later, now }: MirrorDeps): CustomerMirror {
  let followed: string | null = null;
  let detach: (() => void) | null = null;
  let retryMs = RETRY_FIRST_MS;
  let answer = Promise.withResolvers<void>();

  function attach(uid: string): void {
    let mine = true;
    answer = Promise.withResolvers<void>();
    const { resolve } = answer;
    let latest: CustomerRecord | null = null;

    /** Writes what can be spent now, and again when a hold expires: no record comes to say that. */
    function project(record: CustomerRecord | null): Promise<void> {
      const open = unexpired(record?.creditHolds ?? [], now());
      if (open.length > 0) {
        const first = Math.min(...open.map(({ expiresAt }) => expiresAt));
        later(() => void (mine && record === latest && project(record)), first - now());
      }
      return writer.record(uid, record);
    }
    const stop = listen(
      uid,
      (record) => {
        if (!mine) return;
        retryMs = RETRY_FIRST_MS;
        latest = record;
        project(record).then(resolve, resolve);
      },
      () => {
        // An error ends a Firestore listener for good: a rule, or a token that was refused a moment ago.
        if (!mine) return;
        mine = false;
        detach = null;
        later(ensure, retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_LAST_MS);
      },
    );
    detach = () => {
      mine = false;
      stop();
    };
  }
  function ensure(): void {
    if (followed !== null && detach === null) attach(followed);
  }

  return {
    follow(uid) {
      if (uid === followed) return ensure();
      detach?.();
      detach = null;
      followed = uid;
      if (uid === null) return;
      void writer.begin(uid);
      attach(uid);
    },
    ensure,
    heard: (ms) =>
      within(
        ms,
        answer.promise.then(() => true),
        false,
      ),
  };
}
