import { describe, expect, it } from 'vitest';
import { expectCaught } from './caught.ts';
import { firstFailure } from './known-failures.ts';
import { type Mutation, mutatedService } from './mutate.ts';
import { checkModel } from './property.ts';

/**
 * Ledgers whose old entries are rolled into pages, at any time in any history of the events' model, by one or by two at
 * once, with crashes; and wrong ways to do it, each of which has to be found (as in mutants.test.ts).
 */

const ROLL = 'functions/src/ledger/roll.ts';
const COMPACT = 'functions/src/ledger/compact.ts';
const HISTORY = 'functions/src/ledger/history.ts';
const LEDGER = 'packages/contract/src/ledger.ts';

const MUTANTS: readonly [name: string, ...mutations: Mutation[]][] = [
  [
    'entries that go, and what they moved with them',
    { file: ROLL, right: '(before?.deltaPack ?? 0) + moved.packs', wrong: '(before?.deltaPack ?? 0)' },
  ],
  [
    'a sum that counts twice',
    {
      file: ROLL,
      right: '(before?.deltaAllowance ?? 0) + moved.allowance',
      wrong: '(before?.deltaAllowance ?? 0) + 2 * moved.allowance',
    },
  ],
  [
    'a sum that forgets what was rolled before',
    { file: ROLL, right: '(before?.deltaPack ?? 0) + moved.packs', wrong: 'moved.packs' },
  ],
  [
    'the reserve of what is still held',
    { file: ROLL, right: 'entry.expiresAt >= before)', wrong: 'entry.expiresAt < 0)' },
  ],
  [
    'a reserve that goes before its end',
    { file: ROLL, right: '(end !== undefined && end.at >= before);', wrong: 'false;' },
  ],
  ['an end that goes before its reserve', { file: ROLL, right: ' || waits.has(reserveIdOf(id))', wrong: '' }],
  [
    'a page that is written over',
    {
      file: COMPACT,
      right: 'packPages(inOrder([...standing, ...entries]), sizes.page)',
      wrong: 'packPages(entries, sizes.page)',
    },
  ],
  [
    'what was in no page yet',
    { file: COMPACT, right: 'inOrder([...unpackEntries(open), ...rolled])', wrong: 'inOrder(rolled)' },
  ],
  [
    'what went into a page, and stayed where it was, too',
    {
      file: COMPACT,
      right: 'return { open: new Uint8Array(), pages,',
      wrong: 'return { open: packed, pages,',
    },
  ],
  [
    'what an event caused',
    {
      file: LEDGER,
      right: "    case 'period':\n      return true;\n    case 'grant':",
      wrong: "    case 'period':\n    case 'grant':\n      return true;",
    },
  ],
  [
    'a key within what is promised',
    { file: ROLL, right: 'Math.max(days, MIN_LEDGER_DAYS)', wrong: 'days' },
    { file: COMPACT, right: "throw new RangeError('entries are kept longer');", wrong: '{}' },
  ],
  [
    'entries that go into no page, but the first',
    {
      file: COMPACT,
      right: 'transaction.set(pageOf(first + index), { entries: bytes });',
      wrong: 'transaction.set(pageOf(first + index), { entries: packEntries(entries.slice(0, 1)) });',
    },
  ],
  [
    'usage that does not see what is in no page',
    { file: HISTORY, right: 'newestOf(found, unpackEntries(rolled.open, wanted), limit)', wrong: 'found' },
  ],
  [
    'usage that sees the newest page alone',
    {
      file: HISTORY,
      right: 'of pagesIn(rolled, range).toSorted((a, b) => b.to - a.to || b.from - a.from)) {',
      wrong: 'of pagesIn(rolled, range).slice(-1)) {',
    },
  ],
];

const SEEDS = [7, 1, 2, 3, 4, 5];

describe('a ledger that is compacted', { timeout: 3_600_000 }, () => {
  it('answers, adds up and shows as before, whenever and by however many it is done, and wherever it dies', async () => {
    const seed = Number(process.env.MODEL_SEED ?? Date.now() & 0x7fffffff);
    const { failure } = await checkModel(await mutatedService([]), {
      histories: Number(process.env.MODEL_HISTORIES ?? 40),
      journeysEach: 3,
      seed,
      compacts: true,
      ...(process.env.MODEL_PATH !== undefined && { path: process.env.MODEL_PATH }),
    });
    expect(failure ?? 'all is there').toBe('all is there');
  });

  it.each(MUTANTS)('is found out by the model that loses, or rolls: %s', async (name, ...mutations) => {
    const service = await mutatedService(mutations);
    const looks = SEEDS.map((seed) => ({ seed, histories: 40 }));
    const found = await firstFailure(looks, async (look) => {
      const { failure } = await checkModel(service, { ...look, journeysEach: 3, compacts: true });
      return failure;
    });
    expectCaught(name, found);
  });
});
