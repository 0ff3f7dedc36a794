import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis, Rights } from '@extension-billing/contract/customer';
import { isRefusal, type RequestEntry } from '@extension-billing/contract/ledger';
import { type CustomerRecord, encodeRecord } from '@extension-billing/contract/record';
import {
  type DocumentData,
  type DocumentSnapshot,
  FieldValue,
  type Firestore,
} from 'firebase-admin/firestore';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { freePoolOf, isOff, mayBeDue } from '../free/decide.ts';
import { type FreeAccess, giveFree } from '../free/give.ts';
import { Unavailable } from '../http/answer.ts';
import {
  formOf,
  newerForm,
  paths,
  readCustomer,
  readRequestEntry,
  requireKnownSchema,
  toEntryDocument,
  toTimestamp,
  type Uid,
} from '../store/documents.ts';
import { type AddWrite, groupCommit, PerKeyQueue, type Waiting } from '../store/group-commit.ts';
import { isConflict, isUncertain } from '../store/transact.ts';
import type {
  CreditCommand,
  CreditDecision,
  Credits,
  DecisionOf,
  GroupDecision,
  GroupLimits,
} from './commands.ts';
import { creditsOf, decideGroup, entryIdsOf, timesOf } from './decide.ts';
import { newestOf, type StoredCredits, VersionCache, type VersionedCredits } from './versions.ts';

// How a decision about credits comes into Firestore: a queue for each user, the version cache, one commit for a group.

/** An instance gets 80 requests at once in production (index.ts); a server that is sent thousands refuses the rest. */
const QUEUE_LIMITS = { maxGroup: 100, maxWaiting: 5_000 };
/** Refusals of a user that an instance records in a minute. Each is a document that is written, and moves nothing. */
const REFUSALS = { points: 300, duration: 60 };
const MAX_ATTEMPTS = 12;
/** No attempt begins after this long: those who wait behind this group have to be answered as well. */
const ATTEMPTS_WITHIN_MS = 6_000;

/**
 * Consumes, reserves, confirms, settles or releases, once for each key. Concurrent requests of a user are committed as a group,
 * each with its own ledger entry. The write names the version that it builds on, so nothing that another instance or
 * the webhook wrote is lost (docs/decisions/credits.md, reservations.md).
 *
 * @param free what the account may have for free; null: nothing. What it is due is given first (free/give.ts).
 * @param carried what the client knows of the record, as it was sealed for it here
 * @throws Unavailable after bounded attempts and a bounded time, where others kept writing or Firestore did not answer;
 *   Overloaded where too many wait. A retry with the same key is safe.
 * @throws NewerSchema where a newer build wrote this user's record
 */
export function commitCredits<Command extends CreditCommand>(
  firestore: Firestore,
  uid: Uid,
  command: Command,
  now: Millis,
  free: FreeAccess | null = null,
  carried: VersionedCredits | null = null,
): Promise<DecisionOf<Command>> {
  const decided = instanceOf(firestore).queue.add(uid, { ...command, now, free, carried });
  // The group's decisions are in the order of its commands, each of its command's kind (decide.ts).
  return decided as Promise<DecisionOf<Command>>;
}

/** What this instance knows of a record without a look at it, to be carried by its user. */
export function knownVersion(firestore: Firestore, uid: Uid, now: Millis): VersionedCredits | null {
  return instanceOf(firestore).memory.versions.get(uid, now);
}

type Timed = CreditCommand & {
  readonly now: Millis;
  readonly free: FreeAccess | null;
  readonly carried: VersionedCredits | null;
};
type Group = readonly Waiting<Timed, CreditDecision>[];
type Queue = PerKeyQueue<Uid, Timed, CreditDecision>;

/** One for each client of the database, and so for each instance. */
const instances = new WeakMap<Firestore, { readonly queue: Queue; readonly memory: Memory }>();

function instanceOf(firestore: Firestore) {
  const known = instances.get(firestore);
  if (known !== undefined) return known;
  const memory: Memory = {
    versions: new VersionCache(),
    refusals: new RateLimiterMemory(REFUSALS),
    stale: new VersionCache(),
  };
  const queue: Queue = new PerKeyQueue(
    (uid, group) => commitGroup(firestore, memory, uid, group),
    QUEUE_LIMITS,
  );
  instances.set(firestore, { queue, memory });
  return { queue, memory };
}

/** What an instance remembers of its users. */
interface Memory {
  readonly versions: VersionCache<VersionedCredits>;
  readonly refusals: RateLimiterMemory;
  /** Users whose cached record was stale: a write on top of a cached version of theirs shares no commit. */
  readonly stale: VersionCache<true>;
}

async function commitGroup(
  firestore: Firestore,
  { versions, refusals, stale }: Memory,
  uid: Uid,
  group: Group,
): Promise<void> {
  const commands = group.map(({ request }) => request);
  const free = freeOf(commands);
  const now = Math.max(...commands.map((command) => command.now));
  const begun = performance.now();
  let known = newestOf([versions.get(uid, now), ...commands.map(({ carried }) => carried)]);
  let wasGiven = false;
  let failures = 0;
  let lastError: unknown;
  let failed: Failed | null = null;
  while (failures < MAX_ATTEMPTS && performance.now() - begun <= ATTEMPTS_WITHIN_MS) {
    if (failures > 0) await sleep(Math.random() * Math.min(200, 5 * 2 ** (failures + 1)));
    let tried: GroupDecision | null = null;
    try {
      const settled =
        decideFromKnown(commands, known, now, free) ??
        (await readAndDecide(firestore, uid, commands, now, free, await refusalsLeft(refusals, uid)));
      if (failed !== null && !wasWritten(failed, settled)) giveBack(free, failed.freeTaken, now);
      failed = null;
      if (free !== null && isDue(free, settled.before, now)) {
        // Each further round must build on another record: a loop without progress would look like a busy one.
        if (wasGiven && settled.before !== known)
          throw new Error('free credits were given and are due again');
        if (!wasGiven) await giveFree(firestore, uid, free, now);
        wasGiven = true;
        known = forget(versions, uid);
        continue;
      }
      const decided = await underCeiling(free, settled, now);
      if (decided === null) {
        if (settled.before !== known) throw new Error('a fresh look needs another one');
        known = forget(versions, uid);
        continue;
      }
      tried = decided;
      // A caller whose version was stale commits alone, so it can't fail the whole batch again.
      const alone = settled.before === known && stale.get(uid, now) !== null;
      const written = await writeGroup(firestore, uid, settled.before, decided, alone);
      if (written !== null) {
        versions.set(uid, written, now);
        giveBack(free, -decided.freeTaken, now);
      }
      const refused = decided.entries.filter(isRefusal).length;
      if (refused > 0) await refusals.penalty(uid, refused);
      for (const [index, decision] of decided.decisions.entries()) group[index]?.resolve(decision);
      return;
    } catch (error) {
      if (known !== null && isConflict(error)) stale.set(uid, true, now);
      known = forget(versions, uid);
      // Without an answer it may be written later, and stays counted.
      if (isConflict(error)) failed = tried ?? failed;
      if (!isConflict(error) && !isUncertain(error)) throw error;
      failures += 1;
      lastError = error;
    }
  }
  throw new Unavailable('The balance is busy; send the very same request again.', 1, lastError);
}

/** What a failed write would have written. */
type Failed = Pick<GroupDecision, 'entries' | 'freeTaken'>;

/** The client retries a commit whose answer was lost: what that conflicts with may be the commit itself. */
function wasWritten({ entries }: Failed, { recorded }: Settled): boolean {
  return entries.filter(({ kind }) => kind !== 'period').every(({ id }) => recorded.has(id));
}

/** The next round reads the record. */
function forget(versions: Memory['versions'], uid: Uid): null {
  versions.delete(uid);
  return null;
}

interface Settled {
  /** What the decisions build on. */
  readonly before: StoredCredits;
  /** Entries of the ledger that were read. */
  readonly recorded: ReadonlyMap<string, RequestEntry>;
  readonly decided: GroupDecision;
  /** The same with so many free credits at most; null where that needs a fresh look. */
  readonly again: (free: number) => GroupDecision | null;
}

/**
 * The decision, with the free credits that it takes taken of the day's: fewer, where the day has no more of them. Null
 * where it needs a fresh look.
 */
async function underCeiling(
  access: FreeAccess | null,
  { decided: asked, again }: Settled,
  now: Millis,
): Promise<GroupDecision | null> {
  const most = access?.free.dailyCeiling ?? null;
  if (access === null || most === null) return asked;
  let decided: GroupDecision | null = asked;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (decided === null || access.ceiling.take(Math.max(0, decided.freeTaken), most, now)) return decided;
    // Others of this instance may take of what is leased here before this one does.
    decided = again(await access.ceiling.atLeast(decided.freeTaken, most, now));
  }
  return again(0);
}

function giveBack(access: FreeAccess | null, credits: number, now: Millis): void {
  const most = access?.free.dailyCeiling ?? null;
  if (access !== null && most !== null && credits > 0) access.ceiling.giveBack(credits, most, now);
}

function isDue({ share, free }: FreeAccess, { credits }: StoredCredits, now: Millis): boolean {
  return mayBeDue(share, free, freePoolOf(credits?.pools ?? []), now);
}

/** Of requests with an older and a newer token of one account: the one that says more of who it is. */
function freeOf(commands: readonly Timed[]): FreeAccess | null {
  const all = commands.map(({ free }) => free).filter((free) => free !== null);
  return all.find(({ share }) => share.identity !== null) ?? all[0] ?? null;
}

const NONE: ReadonlyMap<string, RequestEntry> = new Map();

/**
 * Null where a decision needs a fresh look. The preconditions of the write guard only what takes, holds or lets go of
 * something: a refusal commits nothing on the record.
 */
function decideFromKnown(
  commands: readonly CreditCommand[],
  known: VersionedCredits | null,
  now: Millis,
  access: FreeAccess | null,
): Settled | null {
  if (known === null) return null;
  const again = (free?: number): GroupDecision | null => {
    const decided = decide(commands, known, NONE, now, access, { ...(free !== undefined && { free }) });
    return decided.decisions.every(isGuarded) ? decided : null;
  };
  const decided = again();
  return decided === null ? null : { before: known, recorded: NONE, decided, again };
}

function isGuarded(decision: CreditDecision): boolean {
  if (decision.kind === 'settled') return decision.entry.kind !== 'expiry';
  return decision.kind === 'granted' || decision.kind === 'replayed';
}

async function readAndDecide(
  firestore: Firestore,
  uid: Uid,
  commands: readonly CreditCommand[],
  now: Millis,
  access: FreeAccess | null,
  refusals: number,
): Promise<Settled> {
  const ids = [...new Set(commands.flatMap(entryIdsOf))];
  const [customer, ...entries] = await firestore.getAll(
    paths.customer(firestore, uid),
    ...ids.map((id) => paths.entry(firestore, uid, id)),
  );
  requireKnownSchema(customer);
  const before = storedIn(customer);
  const known = entries.map(readRequestEntry).filter((entry) => entry !== null);
  const recorded = new Map(known.map((entry) => [entry.id, entry]));
  const again = (free: number) => decide(commands, before, recorded, now, access, { refusals, free });
  return { before, recorded, decided: again(Number.POSITIVE_INFINITY), again };
}

/** What a read record says, to be carried by its user; null where a write on top of it needs a look all the same. */
export function versionOf(customer: DocumentSnapshot): VersionedCredits | null {
  if (newerForm(customer) !== null) return null;
  const { credits, version, ...others } = storedIn(customer);
  return credits === null || version === null ? null : { ...others, credits, version };
}

function storedIn(customer: DocumentSnapshot | undefined): StoredCredits {
  const record = readCustomer(customer);
  return {
    credits: creditsOf(record),
    rights: record === null ? null : rightsOf(record),
    updatedAt: record?.updatedAt ?? 0,
    version: customer?.updateTime ?? null,
  };
}

function decide(
  commands: readonly CreditCommand[],
  { credits, rights, updatedAt }: StoredCredits,
  recorded: ReadonlyMap<string, RequestEntry>,
  clock: Millis,
  access: FreeAccess | null,
  limits: Pick<GroupLimits, 'refusals' | 'free'>,
): GroupDecision {
  const { now, holdsAt } = timesOf(clock, updatedAt);
  const isFreeOff = access === null || isOff(access.share, freePoolOf(credits?.pools ?? []));
  return decideGroup(commands, credits, recorded, now, { ...limits, holdsAt, rights, isFreeOff });
}

/** As much of a record as says what its owner may use. A write of credits changes nothing of it. */
function rightsOf({ paid, entitledUntil, entitlements, entitlementsUntil }: CustomerRecord): Rights {
  return {
    paid,
    ...(entitledUntil !== undefined && { entitledUntil }),
    ...(entitlements !== undefined && { entitlements }),
    ...(entitlementsUntil !== undefined && { entitlementsUntil }),
  };
}

async function refusalsLeft(refusals: RateLimiterMemory, uid: Uid): Promise<number> {
  return (await refusals.get(uid))?.remainingPoints ?? REFUSALS.points;
}

/**
 * Writes what a group decided in one commit: each ledger entry, which must not exist yet, and the record where it
 * changed, which must still be the version that the group saw. Holds that have expired go with it.
 *
 * @param alone in a call of its own, whatever others write at the same moment
 * @returns the record as it is now; null where it was not written
 */
async function writeGroup(
  firestore: Firestore,
  uid: Uid,
  before: StoredCredits,
  { entries, credits }: GroupDecision,
  alone: boolean,
): Promise<VersionedCredits | null> {
  const [first] = entries;
  const { version: builtOn } = before;
  if (first === undefined || credits === null || before.credits === null || builtOn === null) return null;
  const updatedAt = first.createdAt;
  const isChanged = !isSame(before.credits, credits);
  const writes = entries.map((entry): AddWrite => {
    const document = toEntryDocument(entry);
    return (batch) => batch.create(paths.entry(firestore, uid, entry.id), document);
  });
  if (isChanged) {
    const customer = paths.customer(firestore, uid);
    const fields = toFields(before.credits, credits, updatedAt);
    writes.unshift((batch) => batch.update(customer, fields, { lastUpdateTime: builtOn }));
  }
  const version = await groupCommit(firestore, writes, { alone });
  const { rights } = before;
  return isChanged && version !== undefined ? { credits, rights, updatedAt, version } : null;
}

/** The fields of the record that a group changes, as Firestore holds them. The list of holds goes when nothing is held. */
function toFields(before: Credits, { balances, holds, pools }: Credits, updatedAt: Millis): DocumentData {
  const { allowance, packs } = balances;
  const fields = {
    creditsRemaining: allowance + packs,
    creditsAllowance: allowance,
    packCreditsRemaining: packs,
    updatedAt,
    ...(holds.length > 0 && { creditHolds: holds }),
    ...(pools.length > 0 && { allowances: pools }),
  };
  const isEmptied = before.holds.length > 0 && holds.length === 0;
  return {
    ...encodeRecord(fields, toTimestamp),
    ...(pools.length > 0 && { schemaVersion: formOf(fields) }),
    ...(isEmptied && { creditHolds: FieldValue.delete() }),
  };
}

function isSame(before: Credits, after: Credits): boolean {
  const { balances, holds, pools } = before;
  return (
    balances.allowance === after.balances.allowance &&
    balances.packs === after.balances.packs &&
    pools.length === after.pools.length &&
    pools.every((pool, index) => pool === after.pools[index]) &&
    holds.length === after.holds.length &&
    holds.every(({ reservation }, index) => reservation === after.holds[index]?.reservation)
  );
}
