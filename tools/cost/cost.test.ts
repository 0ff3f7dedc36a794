import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toEntryDocument } from '../../functions/src/store/documents.ts';
import { billOf, type Case, storedGib, totalOf } from './bill.ts';
import { billedSeconds, costOfOperations, costOfRequests } from './compute-cost.ts';
import { costPage } from './cost-page.ts';
import { type CountedJob, type Measured, readMeasured } from './counted.ts';
import { CONSUME_FIELDS, sizeOfEntry } from './sizes.ts';
import { JOBS, monthOf, NON_PAYER, PAYER, PROFILES } from './workload.ts';

it('docs/cost.md is what the measured operations and the list prices make: node tools/cost.ts', () => {
  expect(readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')).toBe(costPage());
});

const zero = { calls: 0, reads: 0, writes: 0, deletes: 0, providerCalls: 0 };
const jobs = JOBS.flatMap(({ job }) =>
  (['run', 'free', 'payer', 'active', 'spend'] as const).map((of): CountedJob => {
    const isLook = of === 'run' || of === 'free' || of === 'payer';
    return { job, of, each: isLook ? { ...zero, calls: 1, reads: 1, providerCalls: 2 } : zero };
  }),
);
const measured: Measured = {
  ...{ cpuMs: 2, jobs, operationsOf: () => ({ reads: 1, writes: 2 }) },
  bytes: { record: 500, facts: 2_000, marker: 200, answer: 700 },
  compaction: { bytesOfSpend: 100, bytesOfAccount: 0, days: 100 },
};
const profile = { name: 'half', payers: 0.5 };
const entry = { document: 300, indexes: 700 };
const aCase = (over: Partial<Case>): Case => ({
  ...{ profile, accounts: 1_000, year: 3, isCompacted: true, hasFreeTier: false },
  ...over,
});

describe('a cost', () => {
  it('of operations goes by the document', () => {
    expect(costOfOperations({ reads: 100_000, writes: 0 })).toBeCloseTo(0.03);
    expect(costOfOperations({ reads: 0, writes: 2_000_000, deletes: 1_000_000 })).toBeCloseTo(1.9);
  });

  it('of requests is least on a busy instance and most where each is alone', () => {
    const { busy, alone } = costOfRequests(1_000_000, 3);
    expect(busy).toBeCloseTo(0.4 + 3_000 * 0.00002525);
    expect(alone).toBeCloseTo(0.4 + 100_000 * 0.00002525);
  });

  it('of few requests is that of each alone, and of many that of the instances they keep busy', () => {
    expect(billedSeconds(1_000, 2)).toBeCloseTo(100, 0);
    expect(billedSeconds(1e9, 2)).toBeCloseTo((1e9 * 0.002) / 0.6, -3);
  });

  it('of a month counts every consume and every account once', () => {
    const lines = monthOf(profile, 1_000, measured);
    const requests = lines
      .filter(({ what }) => what.startsWith('consumes of users'))
      .reduce((sum, line) => sum + line.requests, 0);
    expect(requests).toBe(500 * PAYER.consumes + 500 * NON_PAYER.consumes);
    const comparison = lines.find(({ what }) => what.includes('reconcileDaily'));
    // Once a day each account, a payer's ledger of 3,334 entries in four reads, and what a run has.
    expect(comparison?.operations.reads).toBe(30 * (1_000 + 4 * 500) + 30);
  });
});

describe('a bill', () => {
  it('grows with what is kept, and hardly once old entries are rolled', () => {
    const kept = [1, 5].map((year) => totalOf(billOf(aCase({ year, isCompacted: false }), measured, entry)));
    const rolled = [1, 5].map((year) => totalOf(billOf(aCase({ year }), measured, entry)));
    const growth = ([first = 0, last = 0]: readonly number[]): number => last - first;
    expect(growth(kept)).toBeGreaterThan(9 * growth(rolled));
    expect(growth(rolled)).toBeGreaterThan(0);
  });

  it('stores young entries whole and old ones in pages', () => {
    const consumes = 500 * PAYER.consumes + 500 * NON_PAYER.consumes;
    const old =
      storedGib(aCase({ year: 2 }), measured, entry) - storedGib(aCase({ year: 1 }), measured, entry);
    expect(old * 2 ** 30).toBeCloseTo(12 * consumes * 100, -2);
  });

  it('has nothing below zero where the free tier covers it', () => {
    const bill = billOf(aCase({ accounts: 1, hasFreeTier: true }), measured, entry);
    const { backups, pitr, jobs, ...free } = bill;
    expect(Object.values(free).every((part) => part === 0)).toBe(true);
    expect(backups + pitr + jobs).toBeGreaterThan(0);
  });

  it('is the sum of its parts, and for more payers more', () => {
    const totals = PROFILES.map((each) => totalOf(billOf(aCase({ profile: each }), measured, entry)));
    expect(totals).toEqual(totals.toSorted((one, other) => one - other));
  });
});

it('an entry is reckoned with the fields that are stored', () => {
  const stored = toEntryDocument({
    ...{ id: 'consume_x', kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted', createdAt: 1 },
    ...{ deltaAllowance: -1, deltaPack: 0, allowance: 9, packCredits: 0, correlationId: 'of-the-request' },
  });
  expect(CONSUME_FIELDS.map(([field]) => field).sort()).toEqual(Object.keys(stored).sort());
  expect(sizeOfEntry(() => false).indexes).toBe(0);
  // One entry of an index on two numbers takes less than the four of two fields.
  const both = ['deltaAllowance', 'deltaPack'];
  expect(sizeOfEntry(() => false, [both]).indexes * 4).toBeLessThan(
    sizeOfEntry((field) => both.includes(field)).indexes,
  );
  expect(sizeOfEntry(() => true).document).toBe(sizeOfEntry(() => false).document);
});

it('of the ledger just those fields are indexed that something asks for', () => {
  const { fieldOverrides } = JSON.parse(
    readFileSync(new URL('../../firestore.indexes.json', import.meta.url), 'utf8'),
  );
  const exempt = fieldOverrides
    .filter(({ collectionGroup }: { collectionGroup: string }) => collectionGroup === 'credit_ledger')
    .map(({ fieldPath }: { fieldPath: string }) => fieldPath);
  const indexed = CONSUME_FIELDS.map(([field]) => field).filter((field) => !exempt.includes(field));
  // GET /credits/usage and the report ask by time; what adds up the two deltas has one index of both.
  expect(indexed).toEqual(['createdAt']);
});

it('says which benchmark is missing', () => {
  expect(() => readMeasured({ rows: [] }, { ...measured, at: '' })).toThrow('npm run bench');
});

it('every job that is scheduled is in the month', () => {
  const index = readFileSync(new URL('../../functions/src/index.ts', import.meta.url), 'utf8');
  const scheduled = [...index.matchAll(/export const (\w+) = onSchedule\(/g)].map(([, name]) => name);
  expect(JOBS.map(({ job }) => job).sort()).toEqual(scheduled.sort());
});

it('says that a job was not counted', () => {
  expect(() => monthOf(profile, 1, { ...measured, jobs: [] })).toThrow('count-jobs');
});
