import { readFileSync } from 'node:fs';
import { type Direction, ID, type Order, type QueryShape } from './query-shape.ts';

/** A filter that an index serves in its first fields, before what it is ordered by. */
interface Leading {
  readonly field: string;
  readonly isArray: boolean;
}

/** What an index must be made of to answer a query: the leading fields in any order, then the trailing in theirs. */
interface Needed {
  readonly leading: readonly Leading[];
  readonly trailing: readonly Order[];
  /** The direction of the document's id, which ends every index. */
  readonly id: Direction;
}

/**
 * Which index Google's Firestore (Standard edition) would ask for and the file lacks; null where nothing is missing.
 * The rules: https://firebase.google.com/docs/firestore/query-data/index-overview (single-field and composite indexes,
 * merging); that several fields which are added up at once need a composite index is what Google's JavaScript SDK keeps
 * among its queries for one. Emulators answer every query, with or without its index.
 */
export function missingIndex(shape: QueryShape, file: IndexFile): string | null {
  const needed = neededBy(shape);
  const { leading, trailing, id } = needed;
  const has = (field: string, mode: 'array' | Direction): boolean =>
    singleFieldIndexes(file, shape.collection, field).some(
      (index) =>
        (index.queryScope ?? 'COLLECTION') === scopeOf(shape) &&
        ('order' in index ? index.order === mode : mode === 'array'),
    );
  const serving = file.indexes.filter((index) => serves(index, shape, needed));

  if (leading.length === 0) {
    const [only] = trailing;
    // By their ids documents are in order already, but not backwards.
    if (only === undefined && id === 'ASCENDING') return null;
    // A single-field index ends in the id, in its own direction.
    if (trailing.length === 1 && only?.direction === id && has(only.field, id)) return null;
    if (serving.some((index) => leadingOf(index, needed).length === 0)) return null;
  } else {
    // The indexes of several filters are merged where they end alike; single-field indexes end in nothing but the id.
    const isMerged = (filter: Leading): boolean =>
      trailing.length === 0 && has(filter.field, filter.isArray ? 'array' : id);
    const composites = serving
      .map((index) => leadingOf(index, needed))
      .filter((fields) => fields.every((field) => isLeading(field, leading)));
    const covered = new Set(composites.flat().map(({ fieldPath }) => fieldPath));
    if (leading.every((filter) => covered.has(filter.field) || isMerged(filter))) return null;
  }
  const fields = [
    ...leading.map(({ field, isArray }) => `${field} ${isArray ? 'CONTAINS' : 'ASCENDING'}`),
    ...trailing.map(({ field, direction }) => `${field} ${direction}`),
    ...(id === 'DESCENDING' && trailing.at(-1)?.direction !== id ? [`${ID} DESCENDING`] : []),
  ];
  return `an index of ${shape.collection} (${scopeOf(shape)}) on ${fields.join(', ')}`;
}

function neededBy({ filters, orders, aggregated }: QueryShape): Needed {
  const of = (kind: string) => filters.filter((filter) => filter.kind === kind).map(({ field }) => field);
  const equal = new Set(of('equality').filter((field) => field !== ID));
  const leading = [
    ...[...equal].map((field) => ({ field, isArray: false })),
    ...[...new Set(of('array'))].map((field) => ({ field, isArray: true })),
  ];
  // A field that has one value needs no order.
  const ordered = orders.filter(({ field }) => !equal.has(field));
  const last = ordered.at(-1)?.direction ?? 'ASCENDING';
  // What a range is asked of comes in order, in the direction of the last order that was asked for.
  const ranges = [...new Set(of('range'))]
    .filter((field) => !ordered.some((order) => order.field === field))
    .sort()
    .map((field) => ({ field, direction: last }));
  const named = [...ordered, ...ranges];
  const id = named.find(({ field }) => field === ID)?.direction ?? last;
  const summed = aggregated
    .filter((field) => !equal.has(field) && !named.some((order) => order.field === field))
    .sort()
    .map((field): Order => ({ field, direction: 'ASCENDING' }));
  const trailing = [...named.filter(({ field }) => field !== ID), ...summed];
  // Sums come in no order: whichever way the ids go will do.
  return { leading, trailing, id: aggregated.length > 0 ? (trailing.at(-1)?.direction ?? id) : id };
}

const scopeOf = ({ isGroup }: QueryShape) => (isGroup ? 'COLLECTION_GROUP' : 'COLLECTION');

/** Whether an index gives what is asked for in the order asked for; what it begins with is another question. */
function serves(index: CompositeIndex, shape: QueryShape, { trailing, id }: Needed): boolean {
  if (index.collectionGroup !== shape.collection || index.queryScope !== scopeOf(shape)) return false;
  const fields = withoutId(index);
  const end = trailing.length === 0 ? [] : fields.slice(-trailing.length);
  const isOrdered = trailing.every(({ field, direction }, at) => {
    const here = end[at];
    return here !== undefined && here.fieldPath === field && 'order' in here && here.order === direction;
  });
  // Where the id is not named it goes as the last field does.
  const last = index.fields.find(({ fieldPath }) => fieldPath === ID) ?? fields.at(-1);
  const ending = last !== undefined && 'order' in last ? last.order : 'ASCENDING';
  return isOrdered && ending === id;
}

/** What an index begins with, before what it is ordered by. */
function leadingOf(index: CompositeIndex, { trailing }: Needed): CompositeIndex['fields'] {
  const fields = withoutId(index);
  return fields.slice(0, fields.length - trailing.length);
}

function withoutId({ fields }: CompositeIndex): CompositeIndex['fields'] {
  return fields.filter(({ fieldPath }) => fieldPath !== ID);
}

/** The composite indexes of the file that a query can make use of. */
export function usedIndexes(shape: QueryShape, file: IndexFile): readonly CompositeIndex[] {
  const needed = neededBy(shape);
  const { leading, trailing } = needed;
  if (leading.length + trailing.length < 2) return [];
  return file.indexes.filter(
    (index) =>
      serves(index, shape, needed) && leadingOf(index, needed).every((field) => isLeading(field, leading)),
  );
}

function isLeading(field: CompositeIndex['fields'][number], leading: readonly Leading[]): boolean {
  return leading.some(
    (filter) => filter.field === field.fieldPath && filter.isArray === 'arrayConfig' in field,
  );
}

type Scope = 'COLLECTION' | 'COLLECTION_GROUP';
type Mode = { readonly order: Direction } | { readonly arrayConfig: 'CONTAINS' };

/** `firestore.indexes.json`, as far as it is used here (https://firebase.google.com/docs/reference/firestore/indexes). */
export interface IndexFile {
  readonly indexes: readonly CompositeIndex[];
  readonly fieldOverrides: readonly FieldOverride[];
}
export interface CompositeIndex {
  readonly collectionGroup: string;
  readonly queryScope: Scope;
  readonly fields: readonly ({ readonly fieldPath: string } & Mode)[];
}
export interface FieldOverride {
  readonly collectionGroup: string;
  /** `*` is every field of the collection that has no override of its own. */
  readonly fieldPath: string;
  readonly ttl?: boolean;
  readonly indexes: readonly ({ readonly queryScope?: Scope } & Mode)[];
}

export function readIndexFile(path: string): IndexFile {
  return JSON.parse(readFileSync(path, 'utf8')) as IndexFile;
}

/** What Firestore keeps of a field by itself: one collection's, in both directions, and members of arrays. */
const AUTOMATIC: FieldOverride['indexes'] = [
  { order: 'ASCENDING' },
  { order: 'DESCENDING' },
  { arrayConfig: 'CONTAINS' },
];

/**
 * The single-field indexes of a field: those of its own override, else of the nearest map that it lies in, else of the
 * collection's `*`, else what Firestore keeps by itself.
 */
export function singleFieldIndexes(
  { fieldOverrides }: IndexFile,
  collection: string,
  field: string,
): FieldOverride['indexes'] {
  const parts = field.split('.');
  const paths = [...parts.map((_, index) => parts.slice(0, parts.length - index).join('.')), '*'];
  for (const path of paths) {
    const override = fieldOverrides.find(
      ({ collectionGroup, fieldPath }) => collectionGroup === collection && fieldPath === path,
    );
    if (override !== undefined) return override.indexes;
  }
  return AUTOMATIC;
}
