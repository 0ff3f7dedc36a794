import { describe, expect, it } from 'vitest';
import { type CompositeIndex, type FieldOverride, missingIndex } from './index-rules.ts';
import type { FilterKind, Order, QueryShape } from './query-shape.ts';

const ASC = (field: string): Order => ({ field, direction: 'ASCENDING' });
const DESC = (field: string): Order => ({ field, direction: 'DESCENDING' });
const where = (field: string, kind: FilterKind = 'equality') => ({ field, kind });

function asked(over: Partial<QueryShape>): QueryShape {
  return { collection: 'books', isGroup: false, filters: [], orders: [], aggregated: [], ...over };
}

/** A composite index, written as its fields: `a`, `-b` (descending), `c[]` (members of an array). */
function index(...fields: readonly string[]): CompositeIndex {
  return {
    collectionGroup: 'books',
    queryScope: 'COLLECTION',
    fields: fields.map((field) => {
      if (field.endsWith('[]')) return { fieldPath: field.slice(0, -2), arrayConfig: 'CONTAINS' };
      if (field.startsWith('-')) return { fieldPath: field.slice(1), order: 'DESCENDING' };
      return { fieldPath: field, order: 'ASCENDING' };
    }),
  };
}

const exempt = (fieldPath: string, indexes: FieldOverride['indexes'] = []): FieldOverride => ({
  collectionGroup: 'books',
  fieldPath,
  indexes,
});

const missing = (
  shape: Partial<QueryShape>,
  indexes: readonly CompositeIndex[] = [],
  fieldOverrides: readonly FieldOverride[] = [],
) => missingIndex(asked(shape), { indexes, fieldOverrides });

describe('what Firestore keeps by itself answers', () => {
  it.each<[string, Partial<QueryShape>]>([
    ['a whole collection', {}],
    ['a collection by id', { orders: [ASC('__name__')] }],
    ['several equalities, whose indexes it merges', { filters: [where('a'), where('b')] }],
    ['an equality in the order of the id', { filters: [where('a')], orders: [ASC('__name__')] }],
    ['a range in its own order', { filters: [where('a', 'range')], orders: [ASC('a'), ASC('__name__')] }],
    ['a range backwards', { filters: [where('a', 'range')], orders: [DESC('a'), DESC('__name__')] }],
    ['members of an array, and an equality', { filters: [where('a', 'array'), where('b')] }],
    ['an order of the field that is asked for one value', { filters: [where('a')], orders: [DESC('a')] }],
    ['a sum of one field', { aggregated: ['a'] }],
  ])('%s', (_what, shape) => {
    expect(missing(shape)).toBeNull();
  });
});

/**
 * The shapes that Google's JavaScript SDK tests against production under "Composite Index Queries", with the indexes
 * that its configuration of the project has for them (firebase/firebase-js-sdk, packages/firestore).
 */
describe('a composite index is asked for by', () => {
  const testId = where('testId');
  it.each<[string, Partial<QueryShape>, CompositeIndex]>([
    ['an equality in another order', { filters: [testId], orders: [ASC('a')] }, index('testId', 'a')],
    ['the same backwards', { filters: [testId], orders: [DESC('b')] }, index('testId', '-b')],
    ['an equality and a range', { filters: [testId, where('a', 'range')] }, index('testId', 'a')],
    [
      'a sum of one field of an equality',
      { filters: [testId], aggregated: ['pages'] },
      index('testId', 'pages'),
    ],
    [
      'sums of two fields',
      { filters: [testId], aggregated: ['year', 'pages'] },
      index('testId', 'pages', 'year'),
    ],
    [
      'sums of three fields',
      { filters: [testId], aggregated: ['rating', 'pages', 'year'] },
      index('testId', 'pages', 'rating', 'year'),
    ],
    [
      'sums of two fields, where an array has a member',
      { filters: [testId, where('rating', 'array')], aggregated: ['pages', 'rating'] },
      index('rating[]', 'testId', 'pages', 'rating'),
    ],
    [
      'ranges of two fields',
      { filters: [testId, where('key', 'range'), where('sort', 'range')] },
      index('testId', 'key', 'sort'),
    ],
    [
      'ranges of three fields, ordered by one backwards',
      {
        filters: [testId, where('key', 'range'), where('sort', 'range'), where('v', 'range')],
        orders: [DESC('v')],
      },
      index('testId', '-v', '-key', '-sort'),
    ],
    [
      'ranges of two fields, ordered in two directions',
      {
        filters: [testId, where('key', 'range'), where('sort', 'range')],
        orders: [DESC('sort'), ASC('key'), ASC('v')],
      },
      index('testId', '-sort', 'key', 'v'),
    ],
  ])('%s', (_what, shape, needed) => {
    expect(missing(shape)).toContain('an index of books (COLLECTION) on');
    expect(missing(shape, [needed])).toBeNull();
  });

  it.each<[string, Partial<QueryShape>]>([
    ['sums of two fields of a whole collection', { aggregated: ['deltaAllowance', 'deltaPack'] }],
    ['two orders', { orders: [ASC('a'), ASC('b')] }],
    ['an order with the id the other way', { orders: [ASC('a'), DESC('__name__')] }],
    ['the id backwards', { orders: [DESC('__name__')] }],
  ])('%s', (_what, shape) => {
    expect(missing(shape)).not.toBeNull();
  });

  it('is not answered by one in another order, of another collection or of a part of the filters', () => {
    const shape = { filters: [where('a'), where('b')], orders: [ASC('c')] };
    const elsewhere: CompositeIndex = { ...index('a', 'b', 'c'), collectionGroup: 'shops' };
    expect(
      missing(shape, [index('a', 'b', '-c'), index('a', 'c'), index('b', 'c', 'a'), elsewhere]),
    ).not.toBeNull();
    expect(missing(shape, [index('a', 'b', 'c', 'd')])).not.toBeNull();
  });

  it('is answered by several with the same end, merged', () => {
    const shape = { filters: [where('a'), where('b')], orders: [ASC('c')] };
    expect(missing(shape, [index('a', 'c'), index('b', 'c')])).toBeNull();
  });
});

describe('an exemption', () => {
  it('takes away what Firestore keeps by itself', () => {
    expect(missing({ filters: [where('a')] }, [], [exempt('a')])).toContain('on a ASCENDING');
    expect(missing({ aggregated: ['a'] }, [], [exempt('a')])).toContain('on a ASCENDING');
  });

  it('of the whole collection, and of a map, reaches every field in it', () => {
    expect(missing({ filters: [where('a')] }, [], [exempt('*')])).not.toBeNull();
    expect(missing({ filters: [where('a.b.c')] }, [], [exempt('a')])).not.toBeNull();
  });

  it('leaves what it names', () => {
    const own = exempt('a', [{ order: 'DESCENDING', queryScope: 'COLLECTION' }]);
    expect(missing({ orders: [DESC('a')] }, [], [exempt('*'), own])).toBeNull();
    expect(missing({ orders: [ASC('a')] }, [], [exempt('*'), own])).not.toBeNull();
  });

  it('does not touch composite indexes', () => {
    const sums = { aggregated: ['deltaAllowance', 'deltaPack'] };
    const both = [exempt('deltaAllowance'), exempt('deltaPack')];
    expect(missing(sums, [index('deltaAllowance', 'deltaPack')], both)).toBeNull();
  });
});

it('a collection group has no index of its own unless the file says so', () => {
  const shape = { isGroup: true, filters: [where('a')] };
  expect(missing(shape)).toContain('COLLECTION_GROUP');
  const own = exempt('a', [{ order: 'ASCENDING', queryScope: 'COLLECTION_GROUP' }]);
  expect(missing(shape, [], [own])).toBeNull();
  expect(missing({ isGroup: true })).toBeNull();
});
