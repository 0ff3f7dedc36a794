import { createHash, timingSafeEqual } from 'node:crypto';
import type { Millis } from '@extension-billing/contract/customer';
import {
  keyState,
  openHashes,
  parseKey,
  readServiceKey,
  type ServiceKey,
} from '@extension-billing/contract/service-key';
import type { Timestamp } from 'firebase-admin/firestore';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AppDeps } from '../deps.ts';
import { type Service, Unauthenticated } from '../http/authenticate.ts';
import { TooManyRequests } from '../http/gates.ts';
import { paths, toTimestamp } from '../store/documents.ts';

// The keys of `billing keys`: read rarely, believed for seconds, and told when they are used.

/** A key that is in use is read again after this long, beside the requests that use it. */
const REREAD_AFTER: Millis = 2_500;
/** No answer is older than this: what is revoked opens nothing after it. */
const BELIEVED_FOR: Millis = 5_000;
/**
 * A secret that does not fit may be newer than what was read: then the key is read again, so that a rotated one opens at
 * once. Guessing at a key that there is costs a read in so much time, at most.
 */
const DOUBTED_AFTER: Millis = 1_000;
/** Ids that nobody made, each for this long; a key's id is random, so none of them is made later. */
const MISSING = { remembered: 10_000, for: 60_000 } as const;
/** Reads of this instance for unknown ids, in so many seconds. Beyond it, only ids on the list of all keys are read. */
const GUESSES = { points: 30, duration: 10 } as const;
/** The list is read again after this long, and only while keys are guessed: an owner has few. */
const LISTED_FOR: Millis = 30_000;
/** How often the last use is written, by all instances together. */
const USE_WRITTEN_EVERY: Millis = 60_000;

interface Known {
  readonly key: ServiceKey;
  readonly version: Timestamp | undefined;
  /** Before it was asked for: it was so then, or is newer. */
  readonly readAt: Millis;
}

/** SHA-256 in hex, as `service_keys` has it. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Knows services by their keys. A secret is compared by its hash in constant time; a warm request reads nothing, and
 * what a use writes is not waited for.
 *
 * The answer throws Unauthenticated for a key that opens nothing, TooManyRequests where too many were guessed lately, and
 * what Firestore throws.
 */
export function findKeys(
  deps: Pick<AppDeps, 'firestore' | 'now' | 'log'>,
): (token: string) => Promise<Service | null> {
  const { lookUp, lookAgain } = rememberKeys(deps);
  const noteUse = useNotes(deps);
  return async (token) => {
    if (!token.startsWith('ebk_')) return null;
    const { id, secret } = parseKey(token) ?? { id: null, secret: '' };
    if (id === null) throw notValid();
    const fits = (found: Known | null) => found !== null && opens(found.key, secret, deps.now());
    const first = await lookUp(id);
    const known = first === null || fits(first) ? first : await lookAgain(id, first);
    if (known === null || !fits(known)) throw notValid();
    const state = keyState(known.key, deps.now());
    if (state !== 'active') {
      deps.log.warn('service_key_refused', { key: id, reason: state });
      throw notValid();
    }
    noteUse(id, known);
    return { id: `key:${id}`, scopes: known.key.scopes };
  };
}

/** The same for all: who guesses learns nothing of which keys there are. */
const notValid = () => new Unauthenticated('This key is not valid (unknown, expired or revoked).');

function opens(key: ServiceKey, secret: string, now: Millis): boolean {
  const sent = Buffer.from(hashOfSecret(secret));
  // All are compared, whichever fits.
  return openHashes(key, now).filter((hash) => timingSafeEqual(sent, Buffer.from(hash))).length > 0;
}

interface KeyMemory {
  /** What is known of a key, read lately enough; null: there is none. */
  lookUp(id: string): Promise<Known | null>;
  /** The same where what is known may not be all. */
  lookAgain(id: string, known: Known): Promise<Known | null>;
}

function rememberKeys({ firestore, now }: Pick<AppDeps, 'firestore' | 'now'>): KeyMemory {
  const found = new Map<string, Known>();
  const missing = new Map<string, Millis>();
  const underWay = new Map<string, Promise<Known | null>>();
  const guesses = new RateLimiterMemory(GUESSES);

  const read = async (id: string): Promise<Known | null> => {
    const readAt = now();
    const snapshot = await paths.serviceKey(firestore, id).get();
    const key = readServiceKey(snapshot.data());
    if (key === null) {
      found.delete(id);
      missing.set(id, readAt + MISSING.for);
      const [oldest] = missing.keys();
      if (missing.size > MISSING.remembered && oldest !== undefined) missing.delete(oldest);
      return null;
    }
    const known = { key, version: snapshot.updateTime, readAt };
    found.set(id, known);
    return known;
  };
  /** One read at a time for a key, whoever waits for it. */
  const readOnce = (id: string): Promise<Known | null> => {
    const reading = underWay.get(id) ?? read(id).finally(() => underWay.delete(id));
    underWay.set(id, reading);
    return reading;
  };

  let list: { readonly ids: Promise<ReadonlySet<string>>; readonly until: Millis } | null = null;
  const listOnce = (): Promise<ReadonlySet<string>> => {
    if (list !== null && now() < list.until) return list.ids;
    const ids = paths
      .serviceKeys(firestore)
      .get()
      .then(({ docs }) => new Set(docs.map((doc) => doc.id)));
    const asked = { ids, until: now() + LISTED_FOR };
    list = asked;
    ids.catch(() => {
      if (list === asked) list = null;
    });
    return ids;
  };

  const lookUp = async (id: string): Promise<Known | null> => {
    const known = found.get(id);
    if (known !== undefined) {
      const age = now() - known.readAt;
      if (age >= BELIEVED_FOR) return readOnce(id);
      // It fails at most until nothing is believed any more; then a request says so.
      if (age >= REREAD_AFTER) void readOnce(id).catch(() => {});
      return known;
    }
    if (now() < (missing.get(id) ?? 0)) return null;
    missing.delete(id);
    try {
      await takeGuess(guesses);
    } catch (error) {
      if (!(error instanceof TooManyRequests) || !(await listOnce()).has(id)) throw error;
      return readOnce(id);
    }
    const read = await readOnce(id);
    if (read !== null) await guesses.reward(GUESS, 1);
    return read;
  };
  return {
    lookUp,
    lookAgain: async (id, known) => (now() - known.readAt < DOUBTED_AFTER ? known : readOnce(id)),
  };
}

const GUESS = 'guess';

async function takeGuess(guesses: RateLimiterMemory): Promise<void> {
  try {
    await guesses.consume(GUESS);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    throw new TooManyRequests(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)), 'unknown keys', 'here');
  }
}

/** Writes when a key was last used, where that was not said lately. Nobody waits for it, and nothing hangs on it. */
function useNotes({
  firestore,
  now,
}: Pick<AppDeps, 'firestore' | 'now'>): (id: string, known: Known) => void {
  const noted = new Map<string, Millis>();
  return (id, { key, version }) => {
    const at = now();
    const last = Math.max(key.lastUsedAt ?? 0, noted.get(id) ?? 0);
    if (at - last < USE_WRITTEN_EVERY) return;
    noted.set(id, at);
    // Only onto what was read: one of many instances writes it, and what the owner changes meanwhile is left alone.
    const precondition = version === undefined ? { exists: true } : { lastUpdateTime: version };
    void paths
      .serviceKey(firestore, id)
      .update({ lastUsedAt: toTimestamp(at) }, precondition)
      .catch(() => {});
  };
}
