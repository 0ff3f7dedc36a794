import type { Catalog } from '@extension-billing/contract/catalog';
import { checkCatalog } from '@extension-billing/contract/check-catalog';
import type { Millis } from '@extension-billing/contract/customer';
import { readPublished } from '@extension-billing/contract/published-catalog';
import type { Firestore } from 'firebase-admin/firestore';
import type { Logger } from '../log.ts';
import { paths } from './documents.ts';

/** What was read last is used for so long without a question. */
const REFRESH_AFTER: Millis = 30_000;
/** No request goes by what was read longer ago, unless the database cannot be read. */
export const IN_FORCE_WITHIN: Millis = 60_000;
/** The longest that a request waits for a fresh one. */
const WAIT: Millis = 3_000;
/** After one that failed, nobody waits for so long. */
const AGAIN_AFTER: Millis = 5_000;

/** The catalogue in force: the one that `billing catalog push` published last, else the one of the build. */
export interface LiveCatalog {
  /** As it was read last. */
  current(): Catalog;
  /** Whether an import found that others let users write metadata on the provider's account; as it was read last. */
  sharesAccount(): boolean;
  /** Settles, and never rejects, when `current` may be gone by. Mostly that is at once. */
  ready(): Promise<void>;
}

interface LiveDeps {
  readonly firestore: () => Firestore;
  /** What is in force while nothing is published, or nothing that this build can read. */
  readonly embedded: Catalog;
  readonly now: () => Millis;
  readonly log: Logger;
}

/**
 * Keeps an instance's catalogue fresh: read beside the requests once it is half a minute old, and awaited by them only
 * when it is older than a minute, so that a warm request makes no call for it
 * (docs/decisions/catalogue.md). What cannot be read or is not right leaves the last one in force, and is
 * logged.
 */
export function liveCatalog({ firestore, embedded, now, log }: LiveDeps): LiveCatalog {
  let catalog = embedded;
  let isShared = false;
  /** As it stands in the database; what was refused is looked at only once. */
  let text: string | null = null;
  /** When the question was put that was answered last. */
  let asOf: Millis | null = null;
  let failedAt: Millis | null = null;
  let running: Promise<void> | null = null;

  async function read(): Promise<void> {
    const begun = now();
    try {
      const [found, account] = await firestore().getAll(
        paths.catalog(firestore(), 'current'),
        paths.account(firestore()),
      );
      take(found?.data());
      isShared = account?.get('isShared') === true;
      asOf = begun;
      failedAt = null;
    } catch (error) {
      failedAt = now();
      log.warn('catalog_not_read', { reason: reasonOf(error) });
    }
  }

  function take(data: unknown): void {
    const found = data === undefined ? null : JSON.stringify(data);
    if (found === text) return;
    text = found;
    if (found === null) {
      catalog = embedded;
      log.warn('catalog_gone');
      return;
    }
    const published = readPublished(data);
    try {
      if (published === null) throw new Error('it is of a form that this build does not know');
      catalog = checkCatalog(published.catalog);
      log.info('catalog_taken_up', { version: published.version });
    } catch (error) {
      log.error('catalog_refused', { version: published?.version ?? null, reason: reasonOf(error) });
    }
  }

  const ageOf = (): Millis => (asOf === null ? Number.POSITIVE_INFINITY : Math.abs(now() - asOf));

  function refresh(): Promise<void> | null {
    if (running === null && failedAt !== null && now() - failedAt < AGAIN_AFTER) return null;
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    current: () => catalog,
    sharesAccount: () => isShared,
    async ready() {
      const age = ageOf();
      if (age < REFRESH_AFTER) return;
      const fresh = refresh();
      if (fresh !== null && age >= IN_FORCE_WITHIN) await within(WAIT, fresh);
    },
  };
}

function within(ms: Millis, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  void work.finally(() => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Nobody's data is in a catalogue, nor in what went wrong while it was read. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
