import { FieldPath, type Firestore, type Query, type QueryDocumentSnapshot } from 'firebase-admin/firestore';
import * as v from 'valibot';
import { describeError } from '../http/error-handler.ts';
import { parseUid, paths, type Uid } from '../store/documents.ts';
import { type Job, takeJob } from '../store/jobs.ts';
import type { Difference } from './compare.ts';
import { type Replayed, replayUndelivered } from './replay.ts';
import { type CheckDeps, checkUser, repairUser } from './user.ts';

/** Less than the function's own limit of half an hour, so that the summary is always logged. */
const WITHIN_MS = 25 * 60 * 1000;

/**
 * The daily check: repairs what differs, as `npm run reconcile -- --apply` does, since each day of a lost event keeps
 * somebody out who has paid, or lets somebody in who has not, and what the clock has ended is written nowhere else. It
 * logs one summary, a warning when something differed or was not delivered, so that an alert on the log's severity is
 * enough to hear of it.
 */
export async function checkDaily(deps: CheckDeps): Promise<Summary> {
  const summary = await reconcileAll(deps, {
    apply: true,
    within: WITHIN_MS,
    onDifferent: () => {},
  });
  const { undelivered, byKind, ...counts } = summary;
  const isClean = counts.differing + counts.failed + undelivered.found === 0 && counts.finished;
  const fields = { ...counts, byKind, undelivered: undelivered.found };
  if (isClean) deps.log.info('reconcile_summary', fields);
  else deps.log.warn('reconcile_summary', fields);
  return summary;
}

const COMPARISON: Job<{ readonly begunAt: number }> = {
  name: 'reconcile',
  schema: v.object({ begunAt: v.number() }),
  first: { begunAt: 0 },
};

/** The daily check, unless another process has just begun it. */
export async function checkOnce(deps: CheckDeps): Promise<void> {
  const held = await takeJob(deps.firestore, COMPARISON, deps.now);
  if (held === null) return;
  await checkDaily(deps);
  await held.release();
}

export interface Options {
  /** Write what differs; else only look. */
  readonly apply: boolean;
  /** Also look at who has no record and no customer, and was granted something by hand. */
  readonly granted?: boolean;
  /** Stop before the next user after this many milliseconds. */
  readonly within: number;
  /** Called for each user that differs, as soon as it is known; `left` is what still differs after a repair. */
  readonly onDifferent: (uid: Uid, differences: readonly Difference[], left: readonly Difference[]) => void;
}

export interface Summary {
  readonly users: number;
  readonly differing: number;
  readonly repaired: number;
  /** Users that could not be compared: the provider or the store failed. */
  readonly failed: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly undelivered: Replayed;
  /** False: the time ran out before every user and every undelivered event was looked at. */
  readonly finished: boolean;
}

/**
 * Compares every user with the provider, one after the other so that the provider's limit (25 requests a second
 * for each endpoint) is never near, and replays what it could not deliver. A user that fails does not stop the rest.
 */
export async function reconcileAll(deps: CheckDeps, options: Options): Promise<Summary> {
  const begun = deps.now();
  const deadline = begun + options.within;
  // What an outage left must not keep every user from being looked at: it has half of the time.
  const undelivered = await replayUndelivered(deps, options.apply, begun + options.within / 2);
  const byKind: Record<string, number> = {};
  let [users, differing, repaired, failed, finished] = [0, 0, 0, 0, undelivered.finished];
  for await (const uid of listUsers(deps.firestore, options.granted === true)) {
    if (deps.now() >= deadline) {
      finished = false;
      break;
    }
    users += 1;
    try {
      const { differences, left } = await reconcileUser(deps, uid, options.apply);
      if (differences.length === 0) continue;
      differing += 1;
      if (options.apply && left.length === 0) repaired += 1;
      for (const { kind } of differences) byKind[kind] = (byKind[kind] ?? 0) + 1;
      options.onDifferent(uid, differences, left);
    } catch (error) {
      failed += 1;
      deps.log.error('reconcile_failed', describeError(error));
    }
  }
  return { users, differing, repaired, failed, byKind, undelivered, finished };
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

const PAGE = 300;

/**
 * Every user that has a record, and every one who has only a customer at the provider: whose checkout was opened
 * and nothing came of it, or all of whose events were lost. Each once; a page at a time, so any number of users
 * fits into memory.
 *
 * @param granted also who has neither and was granted something by hand: after a loss of the database
 */
export async function* listUsers(firestore: Firestore, granted = false): AsyncGenerator<Uid> {
  for await (const { id } of pages(firestore.collection('customers').select())) {
    const uid = parseUid(id);
    if (uid !== null) yield uid;
  }
  const seen = new Set<Uid>();
  for (const collection of ['provider_customers', ...(granted ? ['billing_audit'] : [])]) {
    for await (const owned of pages(firestore.collection(collection).select('uid'))) {
      const uid = parseUid(owned.get('uid'));
      if (uid === null || seen.has(uid)) continue;
      if ((await paths.customer(firestore, uid).get()).exists) continue;
      seen.add(uid);
      yield uid;
    }
  }
}

async function* pages(query: Query): AsyncGenerator<QueryDocumentSnapshot> {
  const ordered = query.orderBy(FieldPath.documentId()).limit(PAGE);
  let page = ordered;
  for (;;) {
    const { docs } = await page.get();
    yield* docs;
    const last = docs.at(-1);
    if (last === undefined || docs.length < PAGE) return;
    page = ordered.startAfter(last);
  }
}
