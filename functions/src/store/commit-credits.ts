import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  type CreditCommand,
  type CreditDecision,
  decideGroup,
  entryIdsOf,
  type GroupDecision,
} from '../domain/credit-group.ts';
import { creditsOf } from '../domain/credits.ts';
import { isRefusal, type RequestEntry } from '../domain/ledger.ts';
import type { Uid } from '../domain/uid.ts';
import { isConflict, isUncertain } from './conflict.ts';
import { readCustomer } from './customers.ts';
import { Lanes, type Waiting } from './lanes.ts';
import { readRequestEntry } from './ledger-entries.ts';
import { paths } from './paths.ts';
import { requireKnownSchema } from './schema-version.ts';
import { RememberedCredits, type SeenCredits } from './seen-credits.ts';
import { writeCredits } from './write-credits.ts';

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
export function commitCredits(
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
