import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toEntryDocument } from '../../functions/src/store/documents.ts';
import { costOfOperations, costOfRequests, readMeasured } from './compute-cost.ts';
import { costPage } from './cost-page.ts';
import { CONSUME_FIELDS, MONTH, sizeOfEntry, subscribersMonth } from './workload.ts';

it('docs/cost.md is what the measured operations and the list prices make: node tools/cost.ts', () => {
  expect(readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')).toBe(costPage());
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

  it('of a month counts every consume once', () => {
    const lines = subscribersMonth({ cpuMs: 3, operationsOf: () => ({ reads: 1, writes: 2 }) });
    const consumes = lines.filter(({ what }) => what.startsWith('consumes'));
    expect(consumes.reduce((sum, { requests }) => sum + requests, 0)).toBe(
      MONTH.subscribers * MONTH.consumes,
    );
  });
});

it('an entry is reckoned with the fields that are stored', () => {
  const entry = toEntryDocument({
    ...{ id: 'consume_x', kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted', createdAt: 1 },
    ...{ deltaAllowance: -1, deltaPack: 0, allowance: 9, packCredits: 0, correlationId: 'of-the-request' },
  });
  expect(CONSUME_FIELDS.map(([field]) => field).sort()).toEqual(Object.keys(entry).sort());
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
  expect(() => readMeasured({ rows: [] })).toThrow('npm run bench');
});
