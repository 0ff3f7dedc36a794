import { readFileSync } from 'node:fs';
import { Entry } from '@extension-billing/contract/ledger';
import { CustomerFields } from '@extension-billing/contract/record';
import { Firestore } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import type { Uid } from '../functions/src/store/documents.ts';
import { queries as backend } from '../functions/src/store/queries.ts';
import { queries as cli } from '../packages/cli/src/support/queries.ts';

// A deployed Firestore refuses a query without its index, and keeps an index of every field that isn't exempt. Emulators
// do neither, so both are checked here. Rules: https://firebase.google.com/docs/firestore/query-data/index-overview

type Direction = 'ASCENDING' | 'DESCENDING';
interface IndexedField {
  readonly fieldPath: string;
  readonly order?: Direction;
  readonly arrayConfig?: 'CONTAINS';
}
interface IndexFile {
  readonly indexes: readonly {
    readonly collectionGroup: string;
    readonly queryScope: string;
    readonly fields: readonly IndexedField[];
  }[];
  readonly fieldOverrides: readonly {
    readonly collectionGroup: string;
    readonly fieldPath: string;
    readonly indexes: readonly Omit<IndexedField, 'fieldPath'>[];
  }[];
}

const file: IndexFile = JSON.parse(
  readFileSync(new URL('../firestore.indexes.json', import.meta.url), 'utf8'),
);

/** The part of Firestore's request message that decides about indexes, as the SDK builds it. */
interface StructuredQuery {
  readonly from: readonly { readonly collectionId: string; readonly allDescendants?: boolean }[];
  readonly where?: Filter;
  readonly orderBy?: readonly {
    readonly field: { readonly fieldPath: string };
    readonly direction: Direction;
  }[];
}
interface Filter {
  readonly fieldFilter?: { readonly field: { readonly fieldPath: string }; readonly op: string };
  readonly compositeFilter?: { readonly op: string; readonly filters: readonly Filter[] };
}
interface Request {
  readonly structuredQuery?: StructuredQuery;
  readonly structuredAggregationQuery?: {
    readonly structuredQuery: StructuredQuery;
    readonly aggregations: readonly { readonly sum?: { readonly field: { readonly fieldPath: string } } }[];
  };
}

/** The index that a query needs; no fields if Firestore answers it by id alone. */
interface Needed {
  readonly collection: string;
  readonly fields: readonly IndexedField[];
}

const ID = '__name__';
const RANGES = ['GREATER_THAN', 'GREATER_THAN_OR_EQUAL', 'LESS_THAN', 'LESS_THAN_OR_EQUAL'];

/** @throws Error on a part that this file has no rule for */
function neededBy(query: object): Needed {
  if (!('toProto' in query) || typeof query.toProto !== 'function')
    throw new Error('the SDK no longer builds requests with toProto');
  const { structuredQuery, structuredAggregationQuery }: Request = query.toProto();
  const asked = structuredQuery ?? structuredAggregationQuery?.structuredQuery;
  const [from] = asked?.from ?? [];
  if (asked === undefined || from === undefined) throw new Error('there is no query in the request');
  if (from.allDescendants === true) throw new Error('no rule for collection groups');
  const fields = new Map<string, IndexedField>();
  const add = (fieldPath: string, mode: Omit<IndexedField, 'fieldPath'>): void => {
    if (fieldPath !== ID && !fields.has(fieldPath)) fields.set(fieldPath, { fieldPath, ...mode });
  };
  const orders = asked.orderBy ?? [];
  const direction = orders.at(-1)?.direction ?? 'ASCENDING';
  if (orders.some((order) => order.direction !== direction)) throw new Error('no rule for mixed directions');
  const filters = filtersIn(asked.where);
  for (const { field, op } of filters) if (op === 'EQUAL') add(field.fieldPath, { order: direction });
  for (const { field, op } of filters)
    if (op === 'ARRAY_CONTAINS') add(field.fieldPath, { arrayConfig: 'CONTAINS' });
  for (const { field } of orders) add(field.fieldPath, { order: direction });
  for (const { field, op } of filters) if (RANGES.includes(op)) add(field.fieldPath, { order: direction });
  for (const { sum } of structuredAggregationQuery?.aggregations ?? [])
    if (sum !== undefined) add(sum.field.fieldPath, { order: direction });
  if (fields.size === 0 && direction === 'DESCENDING') throw new Error('no rule for descending ids');
  return { collection: from.collectionId, fields: [...fields.values()] };
}

function filtersIn(filter: Filter | undefined): readonly NonNullable<Filter['fieldFilter']>[] {
  if (filter === undefined) return [];
  if (filter.compositeFilter?.op === 'AND') return filter.compositeFilter.filters.flatMap(filtersIn);
  const op = filter.fieldFilter?.op ?? '';
  if (filter.fieldFilter === undefined || !['EQUAL', 'ARRAY_CONTAINS', ...RANGES].includes(op))
    throw new Error(`no rule for the filter ${JSON.stringify(filter)}`);
  return [filter.fieldFilter];
}

/** Firestore's own indexes of each field, unless the file has an override. */
const AUTOMATIC = [{ order: 'ASCENDING' }, { order: 'DESCENDING' }, { arrayConfig: 'CONTAINS' }] as const;

function singleFieldIndexes({ fieldOverrides }: IndexFile, collection: string, field: string) {
  const overrides = fieldOverrides.filter(({ collectionGroup }) => collectionGroup === collection);
  const override =
    overrides.find(({ fieldPath }) => fieldPath === field) ??
    overrides.find(({ fieldPath }) => fieldPath === '*');
  return override?.indexes ?? AUTOMATIC;
}

const modeOf = ({ order, arrayConfig }: Omit<IndexedField, 'fieldPath'>): string | undefined =>
  order ?? arrayConfig;

function isServed({ collection, fields }: Needed, indexes: IndexFile): boolean {
  const [first, ...others] = fields;
  if (first === undefined) return true;
  if (others.length === 0)
    return singleFieldIndexes(indexes, collection, first.fieldPath).some(
      (index) => modeOf(index) === modeOf(first),
    );
  return indexes.indexes.some((index) => isSame(index, { collection, fields }));
}

function isSame(index: IndexFile['indexes'][number], { collection, fields }: Needed): boolean {
  const text = (some: readonly IndexedField[]): string =>
    some.map((field) => `${field.fieldPath} ${modeOf(field)}`).join();
  return (
    index.collectionGroup === collection &&
    index.queryScope === 'COLLECTION' &&
    text(index.fields) === text(fields)
  );
}

const firestore = new Firestore({ projectId: 'demo-extension-billing' });
const uid = 'ada' as Uid;
const range = { from: 0, to: 1 };

const built: Readonly<Record<string, object>> = {
  ...({
    byId: backend.byId(firestore.collection('customers')),
    providerCustomersOf: backend.providerCustomersOf(firestore, uid),
    auditsOf: backend.auditsOf(firestore, uid),
    paidInvoices: backend.paidInvoices(firestore),
    ledgerBetween: backend.ledgerBetween(firestore, uid, range, 'asc'),
    ledgerSums: backend.ledgerSums(firestore, uid),
  } satisfies Record<keyof typeof backend, object>),
  ...({
    auditsBy: cli.auditsBy(firestore, 'ada'),
    eventsOf: cli.eventsOf(firestore, uid),
    freeIdentitiesOf: cli.freeIdentitiesOf(firestore, uid),
    ledgerOf: cli.ledgerOf(firestore, uid, 'asc'),
    succeededPayments: cli.succeededPayments(firestore, 'customers/ada'),
  } satisfies Record<keyof typeof cli, object>),
  'ledgerBetween, newest first': backend.ledgerBetween(firestore, uid, range, 'desc'),
  'ledgerOf, newest first': cli.ledgerOf(firestore, uid, 'desc'),
};

describe('firestore.indexes.json', () => {
  it('is compared with every query', () => {
    const names = [...Object.keys(backend), ...Object.keys(cli)];
    expect(names.filter((name) => !(name in built))).toEqual([]);
  });

  it.each(Object.entries(built))('has the index of the query %s', (_name, query) => {
    const needed = neededBy(query);
    expect(isServed(needed, file), `missing: ${JSON.stringify(needed)}`).toBe(true);
  });

  it('has no index that no query uses', () => {
    const needed = Object.values(built).map(neededBy);
    const composite = file.indexes.filter((index) => !needed.some((one) => isSame(index, one)));
    const single = file.fieldOverrides.flatMap(({ collectionGroup, fieldPath, indexes }) =>
      indexes
        .filter((index) => !needed.some((one) => isOnlyField(one, collectionGroup, fieldPath, modeOf(index))))
        .map((index) => `${collectionGroup}.${fieldPath} ${modeOf(index)}`),
    );
    expect({ composite, single }).toEqual({ composite: [], single: [] });
  });

  it.each([
    ['customers', [...Object.keys(CustomerFields.entries), 'schemaVersion']],
    ['credit_ledger', [...Entry.options.flatMap(({ entries }) => Object.keys(entries)), 'expireAt']],
  ])('exempts all fields of %s that no query uses', (collection, fields) => {
    const asked = Object.values(built)
      .map(neededBy)
      .filter((needed) => needed.collection === collection && needed.fields.length === 1)
      .flatMap((needed) => needed.fields.map(({ fieldPath }) => fieldPath));
    const indexed = [...new Set(fields)].filter(
      // The id of an entry is the document's.
      (field) => field !== 'id' && singleFieldIndexes(file, collection, field).length > 0,
    );
    expect(indexed.filter((field) => !asked.includes(field))).toEqual([]);
  });
});

const isOnlyField = ({ collection, fields }: Needed, group: string, field: string, mode?: string): boolean =>
  collection === group &&
  fields.length === 1 &&
  fields.every((one) => one.fieldPath === field && modeOf(one) === mode);

describe('the rules', () => {
  const ledger = firestore.collection('customers/ada/credit_ledger');
  const customers = firestore.collection('customers');

  it.each([
    ['an exempt field', customers.where('paid', '==', true), false],
    ['two fields without a composite index', ledger.where('feature', '==', 'x').orderBy('createdAt'), false],
    ['a field that is not exempt', customers.where('stripeId', '==', 'x'), true],
  ])('answer for %s', (_what, query, served) => {
    expect(isServed(neededBy(query), file)).toBe(served);
  });

  it('miss a composite index that the file lacks', () => {
    expect(isServed(neededBy(backend.ledgerSums(firestore, uid)), { ...file, indexes: [] })).toBe(false);
  });
});
