import { randomUUID } from 'node:crypto';
import type { Millis } from '@extension-billing/contract/customer';
import { type DocumentSnapshot, type Firestore, Timestamp, type Transaction } from 'firebase-admin/firestore';
import * as v from 'valibot';
import { paths } from './documents.ts';
import { transact } from './transact.ts';

// Jobs that go on for longer than one run: how far each is, and who is at it, in `billing_jobs/{name}`.

/**
 * Whoever died is waited for this long. Each save begins it anew, so a job saves more often than that; it is longer than
 * a transaction with all its attempts.
 */
export const LEASE_LASTS: Millis = 5 * 60 * 1000;

/** A run of a scheduled function ends after half an hour: sooner, what it did is saved and logged. */
export const RUN_LASTS: Millis = 25 * 60 * 1000;

/** Works on all items, on so many at once. What throws ends it. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** A job by its name, with what it has to know to go on: numbers, texts, null, lists and maps of them. */
export interface Job<State extends object> {
  readonly name: string;
  readonly schema: v.GenericSchema<unknown, State>;
  /** Where it begins, the first time. */
  readonly first: State;
}

/** A job that this process is at, and no other. */
export interface HeldJob<State extends object> {
  /** As it was saved last. */
  readonly state: State;
  /**
   * Saves where the job is, together with what `alongside` reads and writes in the same transaction: both or neither,
   * and once, whatever is lost on the way. One save at a time.
   *
   * @param alongside may be called again, as with `runTransaction`
   * @throws LeaseLost where another process took the job over meanwhile; nothing is written then
   */
  save(state: State, alongside?: (transaction: Transaction) => Promise<void>): Promise<void>;
  /** Lets the next run begin at once. */
  release(): Promise<void>;
}

/** Another process took the job over, because this one did not save in time. */
export class LeaseLost extends Error {
  constructor(job: string) {
    super(`another process is at the job ${job}`);
    this.name = 'LeaseLost';
  }
}

/** What is stored is of no form that this build knows: a newer one wrote it. Nothing is begun anew over it. */
export class UnknownJobState extends Error {
  constructor(job: string, problems: string) {
    super(`billing_jobs/${job} has a state that this build does not know: ${problems}`);
    this.name = 'UnknownJobState';
  }
}

/**
 * Takes a job where its last holder let it go, or has not saved for LEASE_LASTS.
 *
 * @returns null where another process is at it
 * @throws UnknownJobState
 */
export async function takeJob<State extends object>(
  firestore: Firestore,
  job: Job<State>,
  now: () => Millis,
): Promise<HeldJob<State> | null> {
  const ref = paths.job(firestore, job.name);
  const holder = randomUUID();
  const taken = await transact(firestore, async (transaction) => {
    const [snapshot] = await transaction.getAll(ref);
    const before = readLease(snapshot);
    const state = readState(job, snapshot);
    if (before.holder !== null && before.holder !== holder && before.until > now()) return null;
    transaction.set(ref, documentOf(holder, now(), before.revision, state));
    return { state, revision: before.revision };
  });
  return taken === null ? null : new Held(firestore, job.name, now, holder, taken.state, taken.revision);
}

class Held<State extends object> implements HeldJob<State> {
  state: State;
  readonly #firestore: Firestore;
  readonly #name: string;
  readonly #now: () => Millis;
  readonly #holder: string;
  #revision: number;

  constructor(
    firestore: Firestore,
    name: string,
    now: () => Millis,
    holder: string,
    state: State,
    revision: number,
  ) {
    this.#firestore = firestore;
    this.#name = name;
    this.#now = now;
    this.#holder = holder;
    this.state = state;
    this.#revision = revision;
  }

  async save(state: State, alongside?: (transaction: Transaction) => Promise<void>): Promise<void> {
    const ref = paths.job(this.#firestore, this.#name);
    const revision = this.#revision + 1;
    await transact(this.#firestore, async (transaction, mayBeWritten) => {
      const [snapshot] = await transaction.getAll(ref);
      const stored = readLease(snapshot);
      // An earlier attempt of this very save, whose answer was lost.
      const isDone = mayBeWritten && stored.holder === this.#holder && stored.revision === revision;
      if (isDone) return;
      if (stored.holder !== this.#holder || stored.revision !== this.#revision)
        throw new LeaseLost(this.#name);
      await alongside?.(transaction);
      transaction.set(ref, documentOf(this.#holder, this.#now(), revision, state));
    });
    this.#revision = revision;
    this.state = state;
  }

  async release(): Promise<void> {
    const ref = paths.job(this.#firestore, this.#name);
    await transact(this.#firestore, async (transaction) => {
      const [snapshot] = await transaction.getAll(ref);
      if (readLease(snapshot).holder !== this.#holder) return;
      transaction.update(ref, { holder: null });
    });
  }
}

const Lease = v.object({
  holder: v.fallback(v.nullable(v.string()), null),
  until: v.fallback(
    v.pipe(
      v.instance(Timestamp),
      v.transform((stamp) => stamp.toMillis()),
    ),
    0,
  ),
  /** One more with each save: tells a save whose answer was lost from another's. */
  revision: v.fallback(v.number(), 0),
});

function readLease(snapshot: DocumentSnapshot | undefined): v.InferOutput<typeof Lease> {
  return v.parse(Lease, snapshot?.data() ?? {});
}

function readState<State extends object>(job: Job<State>, snapshot: DocumentSnapshot | undefined): State {
  const stored: unknown = snapshot?.get('state');
  if (stored === undefined) return job.first;
  const result = v.safeParse(job.schema, stored);
  if (result.success) return result.output;
  throw new UnknownJobState(job.name, result.issues.map((issue) => v.getDotPath(issue) ?? '').join(', '));
}

function documentOf(holder: string, now: Millis, revision: number, state: object) {
  return { holder, until: Timestamp.fromMillis(now + LEASE_LASTS), revision, state };
}
