import { setTimeout as sleep } from 'node:timers/promises';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { Millis } from '../contract/customer.ts';
import { totalOf } from '../domain/balance.ts';
import { type ConsumeCommand, type ConsumeDecision, consumeEntryId } from '../domain/consume.ts';
import { decideGroup, type GroupDecision } from '../domain/consume-group.ts';
import { balancesOf } from '../domain/derive.ts';
import type { ConsumeEntry } from '../domain/ledger.ts';
import type { Uid } from '../domain/uid.ts';
import { isConflict, isUncertain } from './conflict.ts';
import { readCustomer } from './customers.ts';
import { Lanes, type Waiting } from './lanes.ts';
import { readConsumeEntry, toEntryDocument } from './ledger-entries.ts';
import { paths } from './paths.ts';
import { RememberedBalances, type SeenBalances } from './seen-balances.ts';

/** Someone else kept writing to this user's record, or Firestore did not answer: nothing is known to be spent. */
export class Contended extends Error {
  constructor(cause: unknown) {
    super('the consume could not be committed', { cause });
    this.name = 'Contended';
  }
}

interface Timed extends ConsumeCommand {
  readonly now: Millis;
}
type Group = readonly Waiting<Timed, ConsumeDecision>[];

const LARGEST_GROUP = 100;
const MOST_ATTEMPTS = 12;

/**
 * Spends credits: the one place that lowers a balance. Concurrent requests of a user are committed as a group,
 * each with its own ledger entry; the write names the version that it builds on, so nothing is ever lost to
 * another instance or to the webhook (docs/decisions/0002-grouped-consume.md).
 *
 * @throws Contended after bounded attempts; a retry with the same key is safe.
 */
export function commitConsume(
  firestore: Firestore,
  uid: Uid,
  command: ConsumeCommand,
  now: Millis,
): Promise<ConsumeDecision> {
  return committerOf(firestore).enter(uid, { ...command, now });
}

const committers = new WeakMap<Firestore, Lanes<Uid, Timed, ConsumeDecision>>();

function committerOf(firestore: Firestore): Lanes<Uid, Timed, ConsumeDecision> {
  const known = committers.get(firestore);
  if (known !== undefined) return known;
  const remembered = new RememberedBalances();
  const lanes = new Lanes<Uid, Timed, ConsumeDecision>(
    (uid, group) => commitGroup(firestore, remembered, uid, group),
    LARGEST_GROUP,
  );
  committers.set(firestore, lanes);
  return lanes;
}

async function commitGroup(
  firestore: Firestore,
  remembered: RememberedBalances,
  uid: Uid,
  group: Group,
): Promise<void> {
  const commands = group.map(({ request }) => request);
  const now = Math.max(...commands.map((command) => command.now));
  let lastError: unknown;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    if (attempt > 1) await sleep(Math.random() * Math.min(200, 5 * 2 ** attempt));
    const recalled = attempt === 1 ? remembered.recall(uid, now) : null;
    try {
      // A refusal commits nothing on the record, so no precondition guards it: it needs a fresh look.
      const decided = recalled === null ? null : decide(commands, { seen: recalled, recorded: NONE }, now);
      const settled =
        recalled !== null && decided !== null && isAllGranted(decided)
          ? { seen: recalled, decided }
          : await readAndDecide(firestore, uid, commands, now);
      await write(firestore, remembered, uid, settled, now);
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
  readonly seen: SeenBalances | null;
  readonly decided: GroupDecision;
}
interface Found {
  readonly seen: SeenBalances | null;
  readonly recorded: ReadonlyMap<string, ConsumeEntry>;
}

const NONE: ReadonlyMap<string, ConsumeEntry> = new Map();

function decide(commands: readonly ConsumeCommand[], { seen, recorded }: Found, now: Millis): GroupDecision {
  return decideGroup(commands, seen?.balances ?? null, recorded, Math.max(now, (seen?.updatedAt ?? 0) + 1));
}

function isAllGranted({ decisions }: GroupDecision): boolean {
  return decisions.every(({ kind }) => kind === 'granted' || kind === 'replayed');
}

async function readAndDecide(
  firestore: Firestore,
  uid: Uid,
  commands: readonly ConsumeCommand[],
  now: Millis,
): Promise<Settled> {
  const ids = [...new Set(commands.map(({ key }) => consumeEntryId(key)))];
  const [customer, ...entries] = await firestore.getAll(
    paths.customer(firestore, uid),
    ...ids.map((id) => paths.entry(firestore, uid, id)),
  );
  const record = readCustomer(customer);
  const balances = balancesOf(record);
  const version = customer?.updateTime;
  const seen =
    record === null || balances === null || version === undefined
      ? null
      : { balances, updatedAt: record.updatedAt, version };
  const known = entries.map(readConsumeEntry).filter((entry) => entry !== null);
  const recorded = new Map(known.map((entry) => [entry.id, entry]));
  return { seen, decided: decide(commands, { seen, recorded }, now) };
}

async function write(
  firestore: Firestore,
  remembered: RememberedBalances,
  uid: Uid,
  { seen, decided }: Settled,
  now: Millis,
): Promise<void> {
  const [first] = decided.entries;
  if (first === undefined || seen === null || decided.balances === null) return;
  const batch = firestore.batch();
  const isSpent = totalOf(decided.balances) !== totalOf(seen.balances);
  if (isSpent) {
    const { allowance, packs } = decided.balances;
    const fields = {
      creditsRemaining: allowance + packs,
      creditsAllowance: allowance,
      packCreditsRemaining: packs,
      updatedAt: Timestamp.fromMillis(first.createdAt),
    };
    batch.update(paths.customer(firestore, uid), fields, { lastUpdateTime: seen.version });
  }
  for (const entry of decided.entries) {
    batch.create(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
  }
  const [written] = await batch.commit();
  if (!isSpent || written === undefined) return;
  remembered.remember(
    uid,
    { balances: decided.balances, updatedAt: first.createdAt, version: written.writeTime },
    now,
  );
}
