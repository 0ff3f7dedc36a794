import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '@extension-billing/contract/customer';
import type { RequestEntry } from '@extension-billing/contract/ledger';
import { encodeRecord } from '@extension-billing/contract/record';
import { type DocumentData, FieldValue, type Firestore, type Timestamp } from 'firebase-admin/firestore';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { paths, readCustomer, requireKnownSchema, toTimestamp, type Uid } from '../store/documents.ts';
import { type AddWrite, Lanes, shareCommit, type Waiting } from '../store/group-commit.ts';
import { isRefusal, readRequestEntry, toEntryDocument } from '../store/ledger.ts';
import { isConflict, isUncertain } from '../store/transact.ts';
import {
  type ConsumeCommand,
  type ConsumeDecision,
  type CreditCommand,
  type CreditDecision,
  type Credits,
  creditsOf,
  decideGroup,
  entryIdsOf,
  type GroupDecision,
  type ReserveCommand,
  type ReserveDecision,
  type SettleCommand,
  type SettleDecision,
} from './decide.ts';

/** Someone else kept writing to this user's record, or Firestore did not answer: nothing is known to be spent. */
export class Contended extends Error {
  constructor(cause: unknown) {
    super('the credits could not be committed', { cause });
    this.name = 'Contended';
  }
}

type Timed = CreditCommand & { readonly now: Millis };
type Group = readonly Waiting<Timed, CreditDecision>[];

/** An instance gets 80 requests at once in production (index.ts); a server that is sent thousands refuses the rest. */
const LIMITS = { largest: 100, mostWaiting: 5_000 };
/** Refusals of a user that an instance records in a minute. Each is a document that is written, and moves nothing. */
const REFUSALS = { points: 300, duration: 60 };
const MOST_ATTEMPTS = 12;
/** No attempt begins after this long: those who wait behind this group have to be answered as well. */
const ATTEMPTS_WITHIN_MS = 6_000;

/**
 * Spends and holds credits: the one place that lowers a balance. Concurrent requests of a user are committed as a
 * group, each with its own ledger entry; the write names the version that it builds on, so nothing is ever lost to
 * another instance or to the webhook (docs/decisions/0002-grouped-consume.md, 0050-reservations.md).
 *
 * @throws Contended after bounded attempts and a bounded time; a retry with the same key is safe.
 * @throws NewerSchema where a newer build wrote this user's record
 */
function commitCredits(
  firestore: Firestore,
  uid: Uid,
  command: CreditCommand,
  now: Millis,
): Promise<CreditDecision> {
  return committerOf(firestore).enter(uid, { ...command, now });
}

const committers = new WeakMap<Firestore, Lanes<Uid, Timed, CreditDecision>>();

function committerOf(firestore: Firestore): Lanes<Uid, Timed, CreditDecision> {
  const known = committers.get(firestore);
  if (known !== undefined) return known;
  const memory = { remembered: new RememberedCredits(), refusals: new RateLimiterMemory(REFUSALS) };
  const lanes = new Lanes<Uid, Timed, CreditDecision>(
    (uid, group) => commitGroup(firestore, memory, uid, group),
    LIMITS,
  );
  committers.set(firestore, lanes);
  return lanes;
}

/** What an instance remembers of its users. */
interface Memory {
  readonly remembered: RememberedCredits;
  readonly refusals: RateLimiterMemory;
}

async function commitGroup(
  firestore: Firestore,
  { remembered, refusals }: Memory,
  uid: Uid,
  group: Group,
): Promise<void> {
  const commands = group.map(({ request }) => request);
  const now = Math.max(...commands.map((command) => command.now));
  const begun = performance.now();
  let lastError: unknown;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    if (performance.now() - begun > ATTEMPTS_WITHIN_MS) break;
    if (attempt > 1) await sleep(Math.random() * Math.min(200, 5 * 2 ** attempt));
    const recalled = attempt === 1 ? remembered.recall(uid, now) : null;
    try {
      // A refusal commits nothing on the record, so no precondition guards it: it needs a fresh look.
      const decided = recalled === null ? null : decide(commands, { seen: recalled, recorded: NONE }, now);
      const settled =
        recalled !== null && decided !== null && isAllGranted(decided)
          ? { seen: recalled, decided }
          : await readAndDecide(firestore, uid, commands, now, await refusalsLeft(refusals, uid));
      const written = await writeCredits(firestore, uid, settled.seen, settled.decided);
      if (written !== null) remembered.remember(uid, written, now);
      const refused = settled.decided.entries.filter(isRefusal).length;
      if (refused > 0) await refusals.penalty(uid, refused);
      for (const [index, decision] of settled.decided.decisions.entries()) group[index]?.resolve(decision);
      return;
    } catch (error) {
      remembered.forget(uid);
      if (!isConflict(error) && !isUncertain(error)) throw error;
      lastError = error;
    }
  }
  throw new Contended(lastError);
}

interface Settled {
  /** Null for an account without credits. */
  readonly seen: SeenCredits | null;
  readonly decided: GroupDecision;
}
interface Found {
  readonly seen: SeenCredits | null;
  readonly recorded: ReadonlyMap<string, RequestEntry>;
}

const NONE: ReadonlyMap<string, RequestEntry> = new Map();

async function refusalsLeft(refusals: RateLimiterMemory, uid: Uid): Promise<number> {
  return (await refusals.get(uid))?.remainingPoints ?? REFUSALS.points;
}

function decide(
  commands: readonly CreditCommand[],
  { seen, recorded }: Found,
  now: Millis,
  refusals?: number,
): GroupDecision {
  const at = Math.max(now, (seen?.updatedAt ?? 0) + 1);
  return decideGroup(commands, seen?.credits ?? null, recorded, at, refusals);
}

/** Whether the preconditions of the write guard every decision: what is there is taken, held or let go. */
function isAllGranted({ decisions }: GroupDecision): boolean {
  return decisions.every(({ decision }) => {
    if (decision.kind === 'settled') return decision.entry.kind !== 'expiry';
    return decision.kind === 'granted' || decision.kind === 'replayed';
  });
}

async function readAndDecide(
  firestore: Firestore,
  uid: Uid,
  commands: readonly CreditCommand[],
  now: Millis,
  refusals: number,
): Promise<Settled> {
  const ids = [...new Set(commands.flatMap(entryIdsOf))];
  const [customer, ...entries] = await firestore.getAll(
    paths.customer(firestore, uid),
    ...ids.map((id) => paths.entry(firestore, uid, id)),
  );
  requireKnownSchema(customer);
  const record = readCustomer(customer);
  const credits = creditsOf(record);
  const version = customer?.updateTime;
  const seen =
    record === null || credits === null || version === undefined
      ? null
      : { credits, updatedAt: record.updatedAt, version };
  const known = entries.map(readRequestEntry).filter((entry) => entry !== null);
  const recorded = new Map(known.map((entry) => [entry.id, entry]));
  return { seen, decided: decide(commands, { seen, recorded }, now, refusals) };
}

/** Spends a feature's cost, once per key. @throws Contended; a retry with the same key is safe. */
export async function commitConsume(
  firestore: Firestore,
  uid: Uid,
  command: ConsumeCommand,
  now: Millis,
): Promise<ConsumeDecision> {
  const answer = await commitCredits(firestore, uid, { of: 'consume', ...command }, now);
  if (answer.of !== 'consume') throw new Error('a consume was answered with another decision');
  return answer.decision;
}

/** Holds a feature's cost, once per key. @throws Contended; a retry with the same key is safe. */
export async function commitReserve(
  firestore: Firestore,
  uid: Uid,
  command: ReserveCommand,
  now: Millis,
): Promise<ReserveDecision> {
  const answer = await commitCredits(firestore, uid, { of: 'reserve', ...command }, now);
  if (answer.of !== 'reserve') throw new Error('a reserve was answered with another decision');
  return answer.decision;
}

/** Confirms or releases a reservation, once. @throws Contended; a retry is safe. */
export async function commitSettle(
  firestore: Firestore,
  uid: Uid,
  command: SettleCommand,
  now: Millis,
): Promise<SettleDecision> {
  const answer = await commitCredits(firestore, uid, { of: 'settle', ...command }, now);
  if (answer.of !== 'settle') throw new Error('a settlement was answered with another decision');
  return answer.decision;
}

/**
 * Writes what a group decided in one commit: each ledger entry, which must not exist yet, and the record where it
 * changed, which must still be the version that the group saw. Holds that have expired go with it.
 *
 * @returns the record as it is now; null where it was not written
 */
export async function writeCredits(
  firestore: Firestore,
  uid: Uid,
  seen: SeenCredits | null,
  { entries, credits }: GroupDecision,
): Promise<SeenCredits | null> {
  const [first] = entries;
  if (first === undefined || seen === null || credits === null) return null;
  const updatedAt = first.createdAt;
  const isChanged = !isSame(seen.credits, credits);
  const writes = entries.map((entry): AddWrite => {
    const document = toEntryDocument(entry);
    return (batch) => batch.create(paths.entry(firestore, uid, entry.id), document);
  });
  if (isChanged) {
    const fields = toFields(seen.credits, credits, updatedAt);
    writes.unshift((batch) =>
      batch.update(paths.customer(firestore, uid), fields, { lastUpdateTime: seen.version }),
    );
  }
  const version = await shareCommit(firestore, writes);
  return isChanged && version !== undefined ? { credits, updatedAt, version } : null;
}

/** The fields of the record that a group changes, as Firestore holds them. The list of holds goes when nothing is held. */
function toFields(before: Credits, { balances, holds }: Credits, updatedAt: Millis): DocumentData {
  const { allowance, packs } = balances;
  const fields = {
    creditsRemaining: allowance + packs,
    creditsAllowance: allowance,
    packCreditsRemaining: packs,
    updatedAt,
    ...(holds.length > 0 && { creditHolds: holds }),
  };
  const isEmptied = before.holds.length > 0 && holds.length === 0;
  return { ...encodeRecord(fields, toTimestamp), ...(isEmptied && { creditHolds: FieldValue.delete() }) };
}

function isSame(before: Credits, after: Credits): boolean {
  const { balances, holds } = before;
  return (
    balances.allowance === after.balances.allowance &&
    balances.packs === after.balances.packs &&
    holds.length === after.holds.length &&
    holds.every(({ reservation }, index) => reservation === after.holds[index]?.reservation)
  );
}

/** A record's credits as this instance last saw them, with the version that a write on top of them names. */
interface SeenCredits {
  readonly credits: Credits;
  readonly updatedAt: Millis;
  readonly version: Timestamp;
}

const MOST_USERS = 10_000;
/** A memory that turns out stale costs three calls instead of one, so it is only trusted while it is young. */
const TRUSTED_FOR: Millis = 60_000;

/**
 * The records that this instance wrote or read lately, so that the next request needs no read. It is never
 * believed by itself: a write on top of it carries the version as its precondition.
 */
class RememberedCredits {
  readonly #seen = new Map<Uid, { readonly seen: SeenCredits; readonly at: Millis }>();

  recall(uid: Uid, now: Millis): SeenCredits | null {
    const known = this.#seen.get(uid);
    return known !== undefined && now - known.at < TRUSTED_FOR ? known.seen : null;
  }

  remember(uid: Uid, seen: SeenCredits, now: Millis): void {
    this.#seen.delete(uid);
    this.#seen.set(uid, { seen, at: now });
    if (this.#seen.size <= MOST_USERS) return;
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }

  forget(uid: Uid): void {
    this.#seen.delete(uid);
  }
}
