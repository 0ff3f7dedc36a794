import { fileURLToPath } from 'node:url';
import { CustomerFields } from '@extension-billing/contract/record';
import { expect, it } from 'vitest';
import { faultsOf, LIMITS, StoreTraffic } from './hold-store.ts';
import { type IndexFile, missingIndex, readIndexFile } from './index-rules.ts';
import type { QueryShape } from './query-shape.ts';
import { sitesIn } from './query-sites.ts';

const deployed = readIndexFile(fileURLToPath(new URL('../../firestore.indexes.json', import.meta.url)));
const NOTHING: IndexFile = { indexes: [], fieldOverrides: [] };

const SUMS: QueryShape = {
  collection: 'credit_ledger',
  isGroup: false,
  filters: [],
  orders: [],
  aggregated: ['deltaAllowance', 'deltaPack'],
};

function sent(
  queries: readonly QueryShape[],
  written: Readonly<Record<string, readonly string[]>>,
): StoreTraffic {
  const seen = new StoreTraffic();
  for (const query of queries) seen.addQuery(query);
  for (const [collection, names] of Object.entries(written)) {
    const fields = names.map(
      (field) => ({ field, type: field.endsWith('At') ? 'timestamp' : 'other' }) as const,
    );
    seen.addCommit({ bytes: 100, writes: [{ collection, bytes: 50, fields }] });
  }
  return seen;
}

const RECORD = [...Object.keys(CustomerFields.entries), 'schemaVersion'];

it('the file that is deployed keeps no index of the records that every consume and event writes', () => {
  const written = {
    customers: RECORD,
    billing_facts: ['facts', 'books', 'ticket', 'deletedAt', 'checkout'],
    billing_events: ['outcome', 'createdAt', 'expireAt'],
    'customers/credit_ledger': ['kind', 'cost', 'deltaAllowance', 'deltaPack', 'correlationId'],
  };
  expect(faultsOf(sent([SUMS], written), deployed)).toEqual([]);
});

it('the file that is deployed leaves the fields indexed by which firestore-stripe-payments finds its customers', () => {
  const asked: QueryShape = {
    ...SUMS,
    collection: 'customers',
    aggregated: [],
    filters: [{ field: 'stripeId', kind: 'equality' }],
  };
  expect(missingIndex(asked, deployed)).toBeNull();
  expect(faultsOf(sent([SUMS], { customers: ['stripeId', 'stripeLink', 'email'] }), deployed)).toEqual([]);
});

it('a rising field of a root collection that is indexed is a fault, also where a query asks for it', () => {
  const asked: QueryShape = {
    ...SUMS,
    collection: 'customers',
    aggregated: [],
    filters: [{ field: 'updatedAt', kind: 'range' }],
  };
  expect(faultsOf(sent([asked], { customers: ['updatedAt'] }), NOTHING)).toEqual([
    expect.stringContaining('customers.updatedAt rises with time and is indexed'),
  ]);
  // A user's own ledger is written by that user alone.
  const own: QueryShape = {
    ...SUMS,
    aggregated: [],
    orders: [{ field: 'createdAt', direction: 'DESCENDING' }],
  };
  expect(faultsOf(sent([own], { 'customers/credit_ledger': ['createdAt'] }), NOTHING)).toEqual([]);
});

it('a field that is indexed for nobody is a fault', () => {
  expect(faultsOf(sent([], { customers: ['plan'] }), NOTHING)).toEqual([
    'customers.plan is indexed and no query asks for it: exempt it in firestore.indexes.json',
  ]);
});

it('a composite index that no query uses is a fault', () => {
  const { indexes } = deployed;
  expect(faultsOf(sent([], {}), { ...NOTHING, indexes })).toEqual([
    expect.stringContaining('is used by no query'),
  ]);
});

it('a document or a commit beyond Firestore’s limits is a fault', () => {
  const seen = new StoreTraffic();
  const write = { collection: 'customers', bytes: LIMITS.documentBytes + 1, fields: [] };
  seen.addCommit({
    bytes: LIMITS.requestBytes + 1,
    writes: Array.from({ length: LIMITS.writes + 1 }, () => write),
  });
  expect(faultsOf(seen, NOTHING)).toHaveLength(3);
});

it('the places that make queries are found in the sources, also those that nobody can read', () => {
  const source = `
    import { AggregateField, FieldPath, type Firestore } from 'firebase-admin/firestore';
    const one = firestore.collection('a').where('b', '==', 1).orderBy(FieldPath.documentId());
    // .where('in a comment', '==', 1)
    const two = query.aggregate({ sum: AggregateField.sum('c') }).orderBy(
      "d", 'desc');
    const three = query.where(name, '==', 1);
    const other = numbers.sum('x');
  `;
  expect(sitesIn('x.ts', source).map(({ place, part, field }) => [place, part, field])).toEqual([
    ['x.ts:3', 'where', 'b'],
    ['x.ts:5', 'orderBy', 'd'],
    ['x.ts:5', 'aggregate', 'c'],
    ['x.ts:7', 'where', null],
  ]);
  expect(sitesIn('y.ts', "const found = list.where('b', '==', 1);")).toEqual([]);
});
