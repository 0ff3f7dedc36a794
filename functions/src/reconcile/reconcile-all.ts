import type { Difference } from '../domain/difference.ts';
import type { Uid } from '../domain/uid.ts';
import { describeError } from '../http/describe-error.ts';
import { listUsers } from '../store/list-users.ts';
import { type CheckDeps, checkUser } from './check-user.ts';
import { repairUser } from './repair-user.ts';
import { type Replayed, replayUndelivered } from './replay-undelivered.ts';

export interface Options {
  /** Write what differs; else only look. */
  readonly apply: boolean;
  /** Stop before the next user after this many milliseconds. */
  readonly within: number;
  /** Told of each user that differs, as soon as it is known; `left` is what still differs after a repair. */
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
  for await (const uid of listUsers(deps.firestore)) {
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
