import type { LedgerEntry } from '@extension-billing/contract/ledger';
import { expect, it, vi } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { readUsage } from '../credits/usage.ts';
import { parseUid, toEntryDocument, type Uid } from '../store/documents.ts';
import { compactLedger } from './compact.ts';
import { rolledEntries } from './history.ts';

// Transactions that met part for a second.
vi.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 22, 12);
const uid = parseUid('ada') as Uid;
const LEDGER = `customers/${uid}/credit_ledger`;

/** Numbers that are the same in each run (a linear congruential generator). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A year of entries of every sort; some share their instant, as those of one commit do. */
function aLedger(next: (below: number) => number): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  let createdAt = NOW - 360 * DAY;
  for (let at = 0; at < 120; at += 1) {
    createdAt += next(4) === 0 ? 0 : next(6 * DAY);
    const moved = {
      deltaAllowance: 0 - next(3),
      deltaPack: 0,
      allowance: next(100),
      packCredits: 5,
      createdAt,
    };
    const request = {
      ...moved,
      feature: next(2) === 0 ? 'demo' : 'demo_deep',
      cost: 1,
      correlationId: `c${at}`,
    };
    const made: readonly LedgerEntry[] = [
      { ...request, id: `consume_${at}`, kind: 'consume', outcome: 'granted' },
      { ...request, id: `reserve_${at}`, kind: 'reserve', outcome: 'granted', expiresAt: createdAt + 60_000 },
      { ...request, id: `settle_${at - 1}`, kind: 'confirm' },
      { ...moved, id: `grant_${at}`, kind: 'grant', eventId: `evt_${at}`, reason: 'a pack' },
      { ...moved, id: `period_${at}`, kind: 'period', granted: 20 },
    ];
    const entry = made[next(made.length)];
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
  'usage answers the same pages whatever was rolled meanwhile (seed %i)',
  async (seed) => {
    const next = numbersFrom(seed * 7_919);
    const entries = aLedger(next);
    const [whole, compacted] = [new MemoryFirestore(), new MemoryFirestore()];
    for (const database of [whole, compacted]) {
      for (const entry of entries) await database.doc(`${LEDGER}/${entry.id}`).set(toEntryDocument(entry));
    }
    const from = NOW - next(365) * DAY;
    const range = { from, to: Math.min(NOW, from + next(366) * DAY + DAY) };
    const limit = 1 + next(30);
    const sizes = { open: next(300), page: 200 + next(1_000) };
    const days = [300, 200, 100, 36].filter(() => next(2) === 0);
    const pageOf = (database: MemoryFirestore, after: Parameters<typeof readUsage>[4]) =>
      readUsage(database.connect(), uid, range, limit, after, NOW);
    let after: Parameters<typeof readUsage>[4] = null;
    do {
      const expected = await pageOf(whole, after);
      expect(await pageOf(compacted, after)).toEqual(expected);
      after = expected.next;
      // Between two pages, too.
      const before = days.shift();
      if (before !== undefined) await compactLedger(compacted.connect(), uid, NOW - before * DAY, NOW, sizes);
    } while (after !== null);
  },
);

it('all that was rolled can be read, oldest page first', async () => {
  const database = new MemoryFirestore();
  const entries = aLedger(numbersFrom(5));
  for (const entry of entries) await database.doc(`${LEDGER}/${entry.id}`).set(toEntryDocument(entry));
  await compactLedger(database.connect(), uid, NOW - 100 * DAY, NOW);
  const left = [...database.documents.keys()]
    .filter((path) => path.startsWith(LEDGER))
    .map((path) => path.split('/').at(-1));
  const read: string[] = [];
  for await (const page of rolledEntries(database.connect(), uid)) read.push(...page.map(({ id }) => id));
  expect(read.length).toBeGreaterThan(20);
  expect([...read, ...left].toSorted()).toEqual([...entries.map(({ id }) => id), 'rolled'].toSorted());
});

it('of a long past as few pages are read as the answer takes', async () => {
  const database = new MemoryFirestore();
  for (let month = 0; month < 6; month += 1) {
    const createdAt = Date.UTC(2026, month, 10);
    const id = `consume_${month}`;
    const moved = { deltaAllowance: -1, deltaPack: 0, allowance: 1, packCredits: 0, createdAt };
    const entry: LedgerEntry = {
      ...moved,
      id,
      kind: 'consume',
      feature: 'demo',
      cost: 1,
      outcome: 'granted',
    };
    await database.doc(`${LEDGER}/${id}`).set(toEntryDocument(entry));
    // Each in a page of its own.
    const before = createdAt + 1;
    if (month < 5) await compactLedger(database.connect(), uid, before, NOW, { open: 0, page: 1 });
  }
  const readsOf = async (limit: number) => {
    let reads = 0;
    database.around = {
      before: async (call) => {
        if (call === 'read') reads += 1;
      },
      after: async () => {},
    };
    const range = { from: NOW - 360 * DAY, to: NOW };
    const { entries } = await readUsage(database.connect(), uid, range, limit, null, NOW);
    return { reads, ids: entries.map(({ id }) => id) };
  };
  // The entry that says which there are, and the page that says that there is more.
  expect(await readsOf(1)).toEqual({ reads: 2, ids: ['consume_5'] });
  expect(await readsOf(2)).toEqual({ reads: 3, ids: ['consume_5', 'consume_4'] });
  database.around = { before: async () => {}, after: async () => {} };
  await compactLedger(database.connect(), uid, NOW - 100 * DAY, NOW, { open: 1_000, page: 1 });
  // What is in no page is in that entry.
  expect(await readsOf(1)).toEqual({ reads: 2, ids: ['consume_5'] });
});
