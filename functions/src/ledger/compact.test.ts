import type {
  ConsumeEntry,
  LedgerEntry,
  ReserveEntry,
  SettleEntry,
} from '@extension-billing/contract/ledger';
import { readLedgerEntry, sumOf } from '@extension-billing/contract/ledger';
import { ROLLED_ID, readRolled } from '@extension-billing/contract/ledger-pages';
import { describe, expect, it, vi } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { bytesOfDocument, parseUid, toEntryDocument, type Uid } from '../store/documents.ts';
import { compactLedger, oldEntries, type PageSizes } from './compact.ts';
import { rolledEntries } from './history.ts';
import { packEntries, packPages, unpackEntries } from './pages.ts';

// Transactions that met part for a second.
vi.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 22, 12);
const BEFORE = NOW - 100 * DAY;
const uid = parseUid('a'.repeat(28)) as Uid;
const LEDGER = `customers/${uid}/credit_ledger`;

let made = 0;
function consume(createdAt: number, more: Partial<LedgerEntry> = {}): LedgerEntry {
  made += 1;
  return {
    ...{ id: `consume_k${made}`, kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted', createdAt },
    ...{ deltaAllowance: -1, deltaPack: 0, allowance: 99, packCredits: 0, correlationId: `c${made}` },
    ...more,
  } as LedgerEntry;
}
const refusal = (createdAt: number) =>
  consume(createdAt, { outcome: 'exhausted', deltaAllowance: 0 } as Partial<LedgerEntry>);
const reserve = (key: string, createdAt: number): ReserveEntry => ({
  ...(consume(createdAt, { deltaAllowance: 0 }) as ReserveEntry),
  ...{ id: `reserve_${key}`, kind: 'reserve', expiresAt: createdAt + 60_000 },
});
const end = (key: string, createdAt: number): SettleEntry => {
  const { outcome: _, ...fields } = consume(createdAt) as ConsumeEntry;
  return { ...fields, id: `settle_${key}`, kind: 'confirm', receipt: { label: 'a call' } };
};
const grant = (createdAt: number): LedgerEntry => ({
  ...{ id: `grant_${createdAt}`, kind: 'grant', eventId: 'evt', reason: 'pack', createdAt },
  ...{ deltaAllowance: 0, deltaPack: 100, allowance: 0, packCredits: 100 },
});
const period = (createdAt: number): LedgerEntry => ({
  ...{ id: `period_${createdAt}`, kind: 'period', granted: 20, createdAt },
  ...{ deltaAllowance: 20, deltaPack: 0, allowance: 20, packCredits: 0 },
});

async function ledgerOf(entries: readonly LedgerEntry[]) {
  const database = new MemoryFirestore();
  for (const entry of entries) await database.doc(`${LEDGER}/${entry.id}`).set(toEntryDocument(entry));
  const firestore = database.connect();
  return {
    database,
    firestore,
    ids: () =>
      [...database.documents.keys()]
        .filter((path) => path.startsWith(LEDGER))
        .map((path) => path.slice(LEDGER.length + 1))
        .sort(),
    sum: async () => {
      const { docs } = await database.collection(LEDGER).get();
      return sumOf(docs.map((doc) => doc.data() as LedgerEntry));
    },
    pages: () =>
      [...database.documents.keys()]
        .filter((path) => path.includes('/ledger_pages/'))
        .map((path) => path.split('/').at(-1) ?? ''),
    rolledEntries: async () => {
      const entries: LedgerEntry[] = [];
      for await (const some of rolledEntries(firestore, uid)) {
        entries.push(...some.map(({ id, data }) => readLedgerEntry(id, data) as LedgerEntry));
      }
      return entries;
    },
    rolled: () => readRolled(database.documents.get(`${LEDGER}/${ROLLED_ID}`)?.data),
    /** The ids that a look finds. */
    old: async () => {
      const known = readRolled(database.documents.get(`${LEDGER}/${ROLLED_ID}`)?.data);
      const { docs } = await oldEntries(firestore, uid, known, BEFORE).get();
      return docs.map(({ id }) => id);
    },
    compact: (before = BEFORE, sizes?: PageSizes) => compactLedger(firestore, uid, before, NOW, sizes),
  };
}

describe('a ledger that is compacted', () => {
  it('has its old requests in one entry, word for word, and adds up to the same', async () => {
    const old = [
      consume(BEFORE - 70 * DAY),
      consume(BEFORE - 40 * DAY, { held: 3, limited: 2, by: 'key:k1' }),
      period(BEFORE - 40 * DAY + 1),
      reserve('r', BEFORE - 39 * DAY),
      end('r', BEFORE - 39 * DAY + 5),
    ];
    const kept = [grant(BEFORE - 80 * DAY), consume(BEFORE), consume(NOW)];
    const ledger = await ledgerOf([...old, ...kept]);
    const before = await ledger.sum();
    expect(await ledger.compact()).toEqual({ rolled: 5, dropped: 0, pages: 0 });
    expect(ledger.ids()).toEqual([...kept.map(({ id }) => id), 'rolled'].sort());
    expect(await ledger.sum()).toEqual(before);
    expect(await ledger.rolledEntries()).toEqual(old);
    expect(await ledger.compact()).toEqual({ rolled: 0, dropped: 0, pages: 0 });
  });

  it('has pages once its old entries are many, and what becomes old later is added to the last while it has room', async () => {
    const entries = Array.from({ length: 40 }, (_, at) =>
      consume(Date.UTC(2026, 2, 1) + at * DAY, { id: `consume_${crypto.randomUUID()}` }),
    );
    const ledger = await ledgerOf(entries);
    const before = await ledger.sum();
    for (let at = 1; at <= entries.length; at += 1) {
      await ledger.compact(Date.UTC(2026, 2, 1) + (at - 1) * DAY + 1, { open: 200, page: 400 });
      expect(await ledger.rolledEntries()).toEqual(entries.slice(0, at));
      expect(await ledger.sum()).toEqual(before);
    }
    expect(ledger.pages().length).toBeGreaterThan(2);
    expect(ledger.pages()).toEqual(ledger.pages().map((_, at) => `${at + 1}`));
    const { pages, open } = ledger.rolled() ?? {};
    expect(pages?.from).toHaveLength(ledger.pages().length);
    expect(pages?.to).toEqual(pages?.to.toSorted((a, b) => a - b));
    expect((pages?.count ?? 0) + unpackEntries(open ?? new Uint8Array()).length).toBe(entries.length);
  });

  it('remembers how far it was looked at where something stays, and looks at what waits again', async () => {
    const ledger = await ledgerOf([grant(BEFORE - 2 * DAY), consume(BEFORE - DAY)]);
    await ledger.compact();
    expect(ledger.rolled()?.through).toBe(undefined);
    expect(await ledger.old()).toEqual([]);
    const paged = await ledgerOf([grant(Date.UTC(2026, 1, 1)), ...CONSUMES(8)]);
    await paged.compact(BEFORE, { open: 100, page: 200 });
    expect(paged.rolled()?.through).toBe(undefined);
    expect(await paged.old()).toEqual([]);
    const other = await ledgerOf([consume(BEFORE - 2 * DAY), grant(BEFORE - DAY)]);
    await other.compact();
    expect(other.rolled()?.through).toBe(BEFORE);
    expect(await other.old()).toEqual([]);
    const late = { ...reserve('late', BEFORE - 3 * DAY), expiresAt: BEFORE + DAY };
    const third = await ledgerOf([grant(BEFORE - 4 * DAY), late, consume(BEFORE - 2 * DAY)]);
    await third.compact();
    expect(third.rolled()?.through).toBe(late.createdAt);
    expect(await third.compact(BEFORE + 2 * DAY)).toMatchObject({ rolled: 1 });
    expect(third.rolled()?.through).toBe(undefined);
  });

  it('looks again at what waits, also where much was rolled behind it', async () => {
    const from = BEFORE - 30 * DAY;
    const waiting = { ...reserve('late', from - 1), expiresAt: BEFORE + DAY };
    const ledger = await ledgerOf([waiting, ...Array.from({ length: 900 }, (_, at) => consume(from + at))]);
    expect(await ledger.compact()).toMatchObject({ rolled: 900 });
    expect(await ledger.old()).toEqual([waiting.id]);
    expect(await ledger.compact(BEFORE + 2 * DAY)).toMatchObject({ rolled: 1 });
  });

  it('goes on behind the batch that was the last, although the end of a reserve in it is younger', async () => {
    const from = BEFORE - 30 * DAY;
    const between = Array.from({ length: 500 }, (_, at) => consume(from + at));
    const ledger = await ledgerOf([reserve('r', from - 1), ...between, end('r', from + 9_999)]);
    let commits = 0;
    ledger.database.around = {
      before: async (call) => {
        if (call === 'commit' && ++commits === 2) throw new Error('dead');
      },
      after: async () => {},
    };
    await expect(ledger.compact()).rejects.toThrow('dead');
    expect(await ledger.compact()).toMatchObject({ rolled: 502 - 401 });
    expect(await ledger.rolledEntries()).toHaveLength(502);
  });

  it('is rolled in several transactions where it is long, and none is lost between them', async () => {
    const old = Array.from({ length: 1_000 }, (_, at) => consume(Date.UTC(2026, 2, 1) + at));
    const ledger = await ledgerOf(old);
    const before = await ledger.sum();
    expect(await ledger.compact(BEFORE, { open: 1_000, page: 100_000 })).toMatchObject({ rolled: 1_000 });
    expect(ledger.pages()).toEqual(['1']);
    expect(await ledger.rolledEntries()).toEqual(old);
    expect(await ledger.sum()).toEqual(before);
  });

  it('keeps no refusal', async () => {
    const ledger = await ledgerOf([refusal(BEFORE - DAY), consume(BEFORE - DAY)]);
    expect(await ledger.compact()).toEqual({ rolled: 1, dropped: 1, pages: 0 });
    expect((await ledger.rolledEntries()).map(({ kind }) => kind)).toEqual(['consume']);
  });

  it('keeps a reserve as long as its end, and what was behind it goes all the same', async () => {
    const late = end('late', BEFORE + DAY);
    const [old, young] = [reserve('late', BEFORE - 3 * DAY), consume(BEFORE + 2 * DAY)];
    const ledger = await ledgerOf([old, late, consume(BEFORE - 2 * DAY), young]);
    expect(await ledger.compact()).toMatchObject({ rolled: 1 });
    expect(ledger.ids()).toEqual([old.id, late.id, young.id, 'rolled'].sort());
    expect(await ledger.compact(BEFORE + 2 * DAY)).toMatchObject({ rolled: 2 });
    expect(ledger.ids()).toEqual([young.id, 'rolled'].sort());
  });

  it('takes the end of a reserve along that another batch would have brought', async () => {
    const from = BEFORE - 30 * DAY;
    const between = Array.from({ length: 500 }, (_, at) => consume(from + at));
    const ledger = await ledgerOf([reserve('r', from - 1), ...between, end('r', from + 9_999)]);
    const rolled: string[][] = [];
    ledger.database.around = {
      before: async () => {},
      after: async (call) => {
        if (call === 'commit') rolled.push(ledger.ids().filter((id) => id.endsWith('_r')));
      },
    };
    expect(await ledger.compact()).toMatchObject({ rolled: 502 });
    expect(rolled).toEqual([[], []]);
  });

  it('leaves alone what is not this service’s, or says more than it', async () => {
    const ledger = await ledgerOf([]);
    const strange = { ...toEntryDocument(consume(BEFORE - DAY)), note: 'theirs' };
    await ledger.database.doc(`${LEDGER}/strange`).set(strange);
    await ledger.database.doc(`${LEDGER}/newer`).set({ ...strange, kind: 'of a newer service' });
    expect(await ledger.compact()).toEqual({ rolled: 0, dropped: 0, pages: 0 });
    expect(ledger.ids()).toEqual(['newer', 'strange']);
  });

  it('whose entry “rolled” is somebody else’s stays as it is', async () => {
    const ledger = await ledgerOf([consume(BEFORE - DAY)]);
    await ledger.database.doc(`${LEDGER}/rolled`).set({ deltaAllowance: 5, deltaPack: 0 });
    expect(await ledger.compact()).toMatchObject({ rolled: 0 });
    expect(await ledger.sum()).toEqual({ allowance: 4, packs: 0 });
  });

  it('keeps every key that is promised to hold', async () => {
    const ledger = await ledgerOf([]);
    await expect(ledger.compact(NOW - 34 * DAY)).rejects.toThrow(RangeError);
  });
});

describe('two that compact one ledger at once', () => {
  it('roll each entry once', async () => {
    const old = Array.from({ length: 30 }, (_, at) => consume(BEFORE - DAY + at));
    const ledger = await ledgerOf(old);
    const before = await ledger.sum();
    const both = await Promise.all([ledger.compact(), ledger.compact()]);
    expect(both.map(({ rolled }) => rolled).sort((a, b) => a - b)).toEqual([0, 30]);
    expect(await ledger.rolledEntries()).toEqual(old);
    expect(await ledger.sum()).toEqual(before);
  });
});

const CONSUMES = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    consume(Date.UTC(2026, 2, 1) + at * 1_234_567, {
      id: `consume_${crypto.randomUUID()}`,
      feature: 'demo_deep',
      correlationId: crypto.randomUUID(),
    }),
  ) as never[];

it.each([
  [1, 'alone'],
  [2, 'alone'],
  [12, 'alone'],
  [200, 'alone'],
  [1, 'beside a grant that stays'],
] as const)('a ledger of %i old consumes %s takes at most 400 bytes for each', async (count, beside) => {
  const stays = beside === 'alone' ? [] : [grant(Date.UTC(2026, 1, 1))];
  const ledger = await ledgerOf([...stays, ...CONSUMES(count)]);
  await ledger.compact();
  for (const { id } of stays) ledger.database.documents.delete(`${LEDGER}/${id}`);
  let bytes = 0;
  for (const [path, { data }] of ledger.database.documents) {
    bytes += bytesOfDocument(path, data) + (path === `${LEDGER}/${ROLLED_ID}` ? bytesOfIndex(path) : 0);
  }
  expect(bytes / count).toBeLessThanOrEqual(400);
});

/** The one index that the entry `rolled` is in, which has both deltas: https://firebase.google.com/docs/firestore/storage-size. */
function bytesOfIndex(path: string): number {
  const nameSize = (name: string) => bytesOfDocument(name, {}) - 32;
  return nameSize(path) + nameSize(`customers/${uid}`) + 32 + 8 + 8;
}

describe('packed entries', () => {
  it('that would be too large for a page become several', () => {
    const entries = CONSUMES(100);
    const pages = packPages(entries, 1_500);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.every(({ bytes: { length } }) => length <= 1_500)).toBe(true);
    expect(pages.flatMap(({ bytes }) => unpackEntries(bytes))).toEqual(entries);
  });

  it.each([
    ['ids that are none of ours', { id: 'consume_\0 "\\u0000" \u{1F600}', correlationId: '\0' }],
    ['an id that is in capitals', { id: `consume_${crypto.randomUUID().toUpperCase()}` }],
    ['an id that goes on behind a UUID', { id: `consume_ab${crypto.randomUUID()}${crypto.randomUUID()}0` }],
    ['a time before this service', { createdAt: 1 }],
  ])('are what they were, with %s', (_, more) => {
    const entries = [consume(NOW), consume(NOW + 1, more), consume(NOW + 2)] as never[];
    expect(unpackEntries(packEntries(entries))).toEqual(entries);
  });

  it('are not read where bytes of them are missing, or of another form', () => {
    const bytes = packEntries(CONSUMES(3));
    expect(() => unpackEntries(bytes.subarray(0, 40))).toThrow();
    expect(() => unpackEntries(Buffer.from([2, ...bytes.subarray(1)]))).toThrow('form 2');
  });
});
