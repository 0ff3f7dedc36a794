import type { Millis } from '@extension-billing/contract/customer';
import { describeError } from '../http/error-handler.ts';
import type { Uid } from '../store/documents.ts';
import { inParallel } from '../store/jobs.ts';
import { isUncertain } from '../store/transact.ts';
import { describeProviderFailure } from '../stripe/client.ts';
import type { Difference } from './compare.ts';
import { type CheckDeps, checkUser, repairUser } from './user.ts';

/** What was found so far, in this run. */
export interface Tally {
  /** Compared with the provider and repaired, each whole. */
  users: number;
  differing: number;
  repaired: number;
  /** Users, pages and events that could not be looked at; the log has a line for each. */
  failed: number;
  readonly byKind: Record<string, number>;
  /** Events about someone's purchases that never came, and those of them that could be applied now. */
  readonly undelivered: { found: number; applied: number; failed: number };
  /** What each pass went through. */
  readonly seen: Record<string, number>;
}

export interface LookOptions {
  /** Write what differs; else only look. */
  readonly apply: boolean;
  /** Of the provider's events only those that it could not deliver; else all since the last pass. */
  readonly undeliveredOnly: boolean;
  /** From then on no look at a user begins, also within a page: at a low rate a hundred of them take half an hour. */
  readonly until?: Millis;
  /** Called for each user that differs, as soon as it is known; `left` is what still differs after a repair. */
  readonly onDifferent: (uid: Uid, differences: readonly Difference[], left: readonly Difference[]) => void;
}

/** Users of one page that fail for want of the provider or the store: then neither is there, and the page is put off. */
const AWAY_FROM = 5;
/** What a run remembers of whom it has looked at. */
const MOST_REMEMBERED = 100_000;

/** Looks at users for one run of the comparison: several at once, nobody twice for what two passes found. */
export class Look {
  readonly deps: CheckDeps;
  readonly options: LookOptions;
  readonly tally: Tally = {
    ...{ users: 0, differing: 0, repaired: 0, failed: 0 },
    ...{ byKind: {}, undelivered: { found: 0, applied: 0, failed: 0 }, seen: {} },
  };
  /** As much of the tally as is of pages that were put off, and is looked at again. */
  readonly putOff = { failed: 0, notApplied: 0 };
  readonly #atOnce: number;
  readonly #remembered = new Set<Uid>();

  constructor(deps: CheckDeps, options: LookOptions) {
    this.deps = deps;
    this.options = options;
    // A user takes about five calls of a quarter of a second, four of them at once.
    this.#atOnce = Math.min(32, Math.max(2, Math.ceil(deps.config.providerCallsPerSecond / 5)));
  }

  /**
   * The whole look at each of them, and the repair.
   *
   * @param remember the run does not come back to them
   * @returns `away` where most of them failed for want of the provider or the store, or where the time ended first; they
   *   are to be looked at again
   */
  async at(uids: Iterable<Uid>, remember = true): Promise<'looked' | 'away'> {
    const fresh = [...new Set(uids)].filter((uid) => !this.#remembered.has(uid));
    const { until = Number.POSITIVE_INFINITY } = this.options;
    let [away, isLate] = [0, false];
    await this.inParallel(fresh, async (uid) => {
      isLate ||= this.deps.now() >= until;
      if (isLate) return;
      try {
        await this.#lookAt(uid);
        if (remember && this.#remembered.size < MOST_REMEMBERED) this.#remembered.add(uid);
      } catch (error) {
        if (isAway(error)) away += 1;
        this.fail(error);
      }
    });
    return isLate || (away >= AWAY_FROM && away * 2 > fresh.length) ? 'away' : 'looked';
  }

  /** Something could not be looked at; the rest goes on. */
  fail(error: unknown): void {
    this.tally.failed += 1;
    this.deps.log.error('reconcile_failed', describeError(error));
  }

  /** As many at once as the rate of the provider's calls is worth. */
  async inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    await inParallel(items, this.#atOnce, work);
  }

  async #lookAt(uid: Uid): Promise<void> {
    const { tally, deps, options } = this;
    const { differences, left } = await reconcileUser(deps, uid, options.apply);
    tally.users += 1;
    if (differences.length === 0) return;
    // Whoever differs still is not counted again by a later pass.
    if (this.#remembered.size < MOST_REMEMBERED) this.#remembered.add(uid);
    tally.differing += 1;
    if (options.apply && left.length === 0) tally.repaired += 1;
    for (const { kind } of differences) tally.byKind[kind] = (tally.byKind[kind] ?? 0) + 1;
    options.onDifferent(uid, differences, left);
  }
}

/** Whether something failed for want of the provider or the store, and not for what it was asked about. */
export function isAway(error: unknown): boolean {
  const failure = describeProviderFailure(error);
  if (failure === null) return isUncertain(error);
  return failure.status === null || failure.status >= 500 || failure.status === 429;
}

/**
 * What a short look at a user's documents says. Where they are damaged, so that it fails, the whole look fails as well and
 * says so; the others of the page are looked at all the same.
 */
export function differs(compare: () => boolean): boolean {
  try {
    return compare();
  } catch {
    return true;
  }
}

/** One user: what differs, and what still does after the repair (all of it, where nothing is applied). */
export async function reconcileUser(
  deps: CheckDeps,
  uid: Uid,
  apply: boolean,
): Promise<{ readonly differences: readonly Difference[]; readonly left: readonly Difference[] }> {
  if (!apply) {
    const { differences } = await checkUser(deps, uid);
    return { differences, left: differences };
  }
  const { before, after } = await repairUser(deps, uid);
  return { differences: before.differences, left: after.differences };
}
