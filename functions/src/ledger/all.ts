import type { Millis } from '@extension-billing/contract/customer';
import { ROLLED_ID, readRolled } from '@extension-billing/contract/ledger-pages';
import type { QueryDocumentSnapshot } from 'firebase-admin/firestore';
import * as v from 'valibot';
import type { AppDeps } from '../deps.ts';
import { describeError } from '../http/error-handler.ts';
import { pageById, parseUid, paths, readCustomer } from '../store/documents.ts';
import { type HeldJob, inParallel, type Job, RUN_LASTS, takeJob } from '../store/jobs.ts';
import { type Compacted, compactLedger, oldEntries } from './compact.ts';
import { rollBefore } from './roll.ts';

// The ledgers of all users: a round each month, in pieces, which goes on where it ended.

/** Users between two saves. */
const PAGE = 100;
/** Ledgers that are rolled at once. */
const AT_ONCE = 10;

const Round = v.object({
  /** Entries from before this are rolled. */
  before: v.number(),
  /** The last user that was looked at; null at its start. */
  uid: v.nullable(v.string()),
  users: v.number(),
  rolled: v.number(),
  /** Users whose ledger could not be rolled. */
  failed: v.number(),
});

const State = v.object({
  /** Entries from before this were looked at in every ledger. */
  done: v.number(),
  /** As `done`, but for the ledgers that could not be rolled. */
  tried: v.optional(v.number(), 0),
  /** Null where the month's is over. */
  round: v.nullable(Round),
});
type State = v.InferOutput<typeof State>;

export const COMPACT_JOB: Job<State> = {
  name: 'compactLedgers',
  schema: State,
  first: { done: 0, tried: 0, round: null },
};

/** How much of the round there is now, with what earlier runs of it did. */
export interface CompactionSummary {
  readonly users: number;
  readonly rolled: number;
  readonly failed: number;
  /** False: it goes on with the next run. */
  readonly finished: boolean;
}

/** - `idle`: nothing became old enough since the last round, or the owner keeps every entry; `held`: another run is at it. */
export type Compaction = CompactionSummary | 'idle' | 'held';

export interface CompactionOptions {
  /** Days that entries are kept; 0 keeps them for ever. */
  readonly days: number;
  /** Begins another round for those who failed in the month's: each goes through all users, so the job waits for the month. */
  readonly again?: boolean;
  /** Asked between two users. */
  readonly mustStop: () => boolean;
  readonly onProgress?: (round: { readonly users: number; readonly rolled: number }) => void;
}

type CompactDeps = Pick<AppDeps, 'firestore' | 'now'> & { readonly log: Pick<AppDeps['log'], 'error'> };

/** The scheduled job: goes on with the month's round for as long as it may run, and logs how far that is. */
export async function compactOnSchedule(
  deps: Pick<AppDeps, 'firestore' | 'now' | 'log'>,
  days: number,
): Promise<Compaction> {
  const deadline = deps.now() + RUN_LASTS;
  const done = await compactAll(deps, { days, mustStop: () => deps.now() >= deadline });
  if (typeof done === 'string') return done;
  if (done.failed > 0) deps.log.warn('ledgers_compacted', { ...done });
  else deps.log.info('ledgers_compacted', { ...done });
  return done;
}

/**
 * Rolls what is old in every user's ledger, by whole months, so that a ledger is looked at once a month. A user that fails
 * does not stop the rest, and is looked at again in the next round.
 */
export async function compactAll(deps: CompactDeps, options: CompactionOptions): Promise<Compaction> {
  const before = roundBefore(deps.now(), options.days);
  if (before === null) return 'idle';
  const job = await takeJob(deps.firestore, COMPACT_JOB, deps.now);
  if (job === null) return 'held';
  try {
    const { done, tried, round } = job.state;
    if (round === null && (options.again === true ? done : Math.max(done, tried)) >= before) return 'idle';
    // One that was begun when fewer days were kept is not gone on with.
    const isGoingOn = round !== null && round.before <= before;
    return await goOn(deps, job, isGoingOn ? round : { ...START, before }, options);
  } finally {
    await job.release();
  }
}

const START: Omit<v.InferOutput<typeof Round>, 'before'> = { uid: null, users: 0, rolled: 0, failed: 0 };

/** The first instant of the oldest month that is not old enough as a whole; null where nothing is ever. */
export function roundBefore(now: Millis, days: number): Millis | null {
  const bound = rollBefore(now, days);
  if (bound === null) return null;
  const at = new Date(bound);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

async function goOn(
  deps: CompactDeps,
  job: HeldJob<State>,
  begun: v.InferOutput<typeof Round>,
  { mustStop, onProgress }: CompactionOptions,
): Promise<CompactionSummary> {
  const { done, tried } = job.state;
  let round = begun;
  for (;;) {
    const customers = deps.firestore.collection('customers').select('updatedAt');
    const docs = await pageById(customers, round.uid, PAGE);
    const found = await compactPage(deps, docs, { before: round.before, since: done }, mustStop);
    if (found === null) return summaryOf(round, false);
    const users = round.users + docs.length;
    const [rolled, failed] = [round.rolled + found.rolled, round.failed + found.failed];
    round = { ...round, uid: docs.at(-1)?.id ?? round.uid, users, rolled, failed };
    onProgress?.(round);
    if (docs.length < PAGE) {
      // Where somebody's ledger failed, the next round passes over nobody who was not there since this one.
      const isClean = round.failed === 0;
      await job.save({ done: isClean ? round.before : done, tried: round.before, round: null });
      return summaryOf(round, true);
    }
    await job.save({ done, tried, round });
    if (mustStop()) return summaryOf(round, false);
  }
}

function summaryOf({ users, rolled, failed }: Omit<CompactionSummary, 'finished'>, finished: boolean) {
  return { users, rolled, failed, finished };
}

/** Null where it had to stop before it was through: it is looked at again. */
async function compactPage(
  { firestore, now, log }: CompactDeps,
  docs: readonly QueryDocumentSnapshot[],
  { before, since }: { readonly before: Millis; readonly since: Millis },
  mustStop: () => boolean,
): Promise<Pick<CompactionSummary, 'rolled' | 'failed'> | null> {
  // Nothing was spent since all that there was had been looked at.
  const changed = docs.filter((doc) => (readCustomer(doc)?.updatedAt || Number.POSITIVE_INFINITY) >= since);
  const uids = changed.map(({ id }) => parseUid(id)).filter((uid) => uid !== null);
  if (uids.length === 0) return { rolled: 0, failed: 0 };
  const standing = await firestore.getAll(...uids.map((uid) => paths.entry(firestore, uid, ROLLED_ID)));
  let [rolled, failed, isStopped] = [0, 0, false];
  await inParallel([...uids.entries()], AT_ONCE, async ([index, uid]) => {
    isStopped ||= mustStop();
    if (isStopped) return;
    try {
      // One read, and mostly there is none that no round has looked at.
      const oldest = oldEntries(firestore, uid, readRolled(standing[index]?.data()), before).limit(1);
      if ((await oldest.get()).empty) return;
      const done: Compacted = await compactLedger(firestore, uid, before, now());
      rolled += done.rolled;
    } catch (error) {
      failed += 1;
      log.error('ledger_not_compacted', describeError(error));
    }
  });
  return isStopped ? null : { rolled, failed };
}
