import { VersionCache } from '../../functions/src/credits/versions.ts';
import { parseUid, type Uid } from '../../functions/src/store/documents.ts';
import { exponential, seeded } from '../random.ts';

// Consumes of many users that come to any of several instances: how often is the version of the record known?

export interface RoutingCase {
  readonly instances: number;
  /** Consumes a second, at all instances together. */
  readonly perSecond: number;
  /** Counted consumes; the same number goes before them. */
  readonly consumes: number;
  /** The client sends back the version that the last answer brought. */
  readonly isCarried: boolean;
}

export interface Routing {
  /** Calls to Firestore for each consume, and the documents read. */
  readonly calls: number;
  readonly reads: number;
  /** Shares of the consumes: the version was known, it was not, or what was known was old. */
  readonly known: number;
  readonly looked: number;
  readonly stale: number;
}

/** Somebody at work spends in sessions: so many times, so many milliseconds apart in the mean. */
const SPENDS = 10;
const GAP_MS = 20_000;
/** How long what is carried is of use (functions/src/credits/versions.ts). */
const CARRIED_MS = 10 * 60_000;
/** One in so many consumes follows a change by an event, which neither instance nor client knows of. */
const CHANGED = 500;
/** Calls, as counted: a commit; a read and a commit; a commit that failed, and both. */
const CALLS = { known: 1, looked: 2, stale: 3 } as const;
const READS_OF_LOOK = 2;

interface Session {
  uid: Uid;
  left: number;
  version: number;
  carried: number | null;
  carriedAt: number;
}

/**
 * Plays consumes on the service's own memory of versions (`VersionCache`), one for each instance. A new session is of a
 * user who was away for longer than anything is remembered.
 */
export function simulateRouting(
  { instances, perSecond, consumes, isCarried }: RoutingCase,
  seed = 1,
): Routing {
  const random = seeded(seed);
  const memories = Array.from({ length: instances }, () => new VersionCache<number>());
  let users = 0;
  const begin = (left: number): Session => {
    users += 1;
    return { uid: userOf(users), left, version: 0, carried: null, carriedAt: 0 };
  };
  const atOnce = Math.max(1, Math.round((perSecond * GAP_MS) / 1_000));
  // At the beginning everybody is in the middle of a session.
  const sessions = Array.from(
    { length: atOnce },
    (): Session => ({ ...begin(1 + Math.floor(random() * (SPENDS - 1))), carried: 0 }),
  );
  const sum = { known: 0, looked: 0, stale: 0 };
  let now = 0;
  for (let n = 0; n < 2 * consumes; n += 1) {
    now += exponential(random, 1_000 / perSecond);
    const at = Math.floor(random() * sessions.length);
    let session = sessions[at];
    const memory = memories[Math.floor(random() * instances)];
    if (session === undefined || memory === undefined) throw new Error('nobody is there');
    if (session.left === 0) {
      session = begin(SPENDS);
      sessions[at] = session;
    }
    if (random() < 1 / CHANGED) session.version += 1;
    const isFresh = isCarried && session.carried !== null && now - session.carriedAt < CARRIED_MS;
    const known = Math.max(memory.get(session.uid, now) ?? -1, isFresh ? (session.carried ?? -1) : -1);
    const outcome = known === -1 ? 'looked' : known === session.version ? 'known' : 'stale';
    if (n >= consumes) sum[outcome] += 1;
    session.version += 1;
    session.left -= 1;
    session.carried = session.version;
    session.carriedAt = now;
    memory.set(session.uid, session.version, now);
  }
  const share = (count: number): number => count / consumes;
  return {
    calls: share(sum.known * CALLS.known + sum.looked * CALLS.looked + sum.stale * CALLS.stale),
    reads: share((sum.looked + sum.stale) * READS_OF_LOOK),
    known: share(sum.known),
    looked: share(sum.looked),
    stale: share(sum.stale),
  };
}

function userOf(number: number): Uid {
  const uid = parseUid(`simulated-${number}`);
  if (uid === null) throw new Error('no uid');
  return uid;
}
