import type { LedgerEntry } from '@extension-billing/contract/ledger';
import { ROLLED_ID } from '@extension-billing/contract/ledger-pages';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { parseUid, toEntryDocument, type Uid } from '../store/documents.ts';
import { compactLedger } from './compact.ts';

// Transactions that met part for a second.
vi.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

const RUNS = Number(process.env.LEDGER_RUNS ?? 25);
const SEED = Number(process.env.LEDGER_SEED ?? Date.now() & 0x7fffffff);

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 22, 12);
const BEGIN = NOW - 300 * DAY;
const uid = parseUid('ada') as Uid;
const LEDGER = `customers/${uid}/credit_ledger/`;

/** Something that a ledger has: how long after the one before it, and of a reserve how long it holds and when it ends. */
const anyThing = fc.record({
  kind: fc.constantFrom('consume', 'consume', 'refusal', 'grant', 'elsewhere', 'reserve', 'reserve', 'many'),
  after: fc.constantFrom(0, 0, 1_000, DAY, 9 * DAY),
  holds: fc.constantFrom(DAY, 30 * DAY),
  ends: fc.constantFrom(null, 0, DAY, 40 * DAY),
});
const anyLook = fc.record({
  passes: fc.constantFrom(1_000, DAY, 20 * DAY, 60 * DAY),
  /** The commit at which it dies, before or after that is made; null: it lives. */
  dies: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 3 }), when: fc.constantFrom('before', 'after') }),
  ),
});

type Thing = typeof anyThing extends fc.Arbitrary<infer One> ? One : never;
type Look = typeof anyLook extends fc.Arbitrary<infer One> ? One : never;

function ledgerOf(things: readonly Thing[]): readonly (readonly [id: string, data: object])[] {
  const made: (readonly [string, object])[] = [];
  let createdAt = BEGIN;
  const moved = { deltaAllowance: -1, deltaPack: 0, allowance: 9, packCredits: 0 };
  const add = (id: string, entry: object, at = createdAt): void => {
    made.push([id, toEntryDocument({ id, ...moved, createdAt: at, ...entry } as LedgerEntry)]);
  };
  const spent = { feature: 'demo', cost: 1, outcome: 'granted' };
  for (const [n, { kind, after, holds, ends }] of things.entries()) {
    createdAt += after;
    if (kind === 'consume') add(`consume_${n}`, { kind, ...spent });
    if (kind === 'many') {
      for (let at = 0; at < 250; at += 1)
        add(`consume_${n}_${at}`, { kind: 'consume', ...spent }, createdAt + at);
    }
    if (kind === 'refusal')
      add(`consume_${n}`, { kind: 'consume', ...spent, outcome: 'exhausted', deltaAllowance: 0 });
    if (kind === 'grant') add(`grant_${n}`, { kind, eventId: 'e', reason: 'pack' });
    if (kind === 'elsewhere') {
      add(`consume_${n}`, { kind: 'consume', ...spent });
      made.push([`consume_${n}`, { ...made.pop()?.[1], ofElsewhere: true }]);
    }
    if (kind !== 'reserve') continue;
    add(`reserve_${n}`, { kind, ...spent, deltaAllowance: 0, expiresAt: createdAt + holds });
    if (ends !== null) add(`settle_${n}`, { kind: 'confirm', feature: 'demo', cost: 1 }, createdAt + ends);
  }
  return made;
}

/** What is in the ledger still, after looks of which some die and are made again. */
async function leftAfter(things: readonly Thing[], looks: readonly Look[]): Promise<readonly string[]> {
  const database = new MemoryFirestore();
  for (const [id, data] of ledgerOf(things)) await database.doc(`${LEDGER}${id}`).set(data);
  let before = BEGIN;
  for (const { passes, dies } of looks) {
    before = Math.min(before + passes, NOW - 40 * DAY);
    let commits = 0;
    const dieAt = (when: 'before' | 'after') => async (call: string) => {
      if (call !== 'commit' || dies === null || dies.when !== when) return;
      commits += 1;
      if (commits === dies.at) throw new Error('dead');
    };
    database.around = { before: dieAt('before'), after: dieAt('after') };
    const compact = () => compactLedger(database.connect(), uid, before, NOW, { open: 120, page: 4_000 });
    await compact().catch(compact);
  }
  return [...database.documents.keys()]
    .filter((path) => path.startsWith(LEDGER))
    .map((path) => path.slice(LEDGER.length))
    .filter((id) => id !== ROLLED_ID)
    .toSorted();
}

it('many looks leave in the ledger what one does, wherever they die', async () => {
  const things = fc.array(anyThing, { maxLength: 14, size: 'max' });
  const looks = fc.array(anyLook, { minLength: 1, maxLength: 5 });
  const last: Look = { passes: 1_000 * DAY, dies: null };
  await fc.assert(
    fc.asyncProperty(things, looks, async (had, some) => {
      expect(await leftAfter(had, [...some, last])).toEqual(await leftAfter(had, [last]));
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
