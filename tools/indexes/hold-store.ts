import { type IndexFile, missingIndex, singleFieldIndexes, usedIndexes } from './index-rules.ts';
import { describeShape, type QueryShape } from './query-shape.ts';
import type { CommitShape, ValueType } from './write-shape.ts';

/** Firestore's limits (https://firebase.google.com/docs/firestore/quotas); writes: what older versions took. */
export const LIMITS = { documentBytes: 1_048_576, requestBytes: 10 * 1_048_576, writes: 500 } as const;

/** What a run sent to Firestore, each shape once. */
export interface Seen {
  readonly queries: ReadonlyMap<string, QueryShape>;
  /** By collection and field: the types that were written. */
  readonly written: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<ValueType>>>;
  readonly largest: {
    readonly documentBytes: number;
    readonly requestBytes: number;
    readonly writes: number;
  };
}

/** Gathers what was sent. */
export class StoreTraffic implements Seen {
  readonly queries = new Map<string, QueryShape>();
  readonly written = new Map<string, Map<string, Set<ValueType>>>();
  readonly largest = { documentBytes: 0, requestBytes: 0, writes: 0 };

  addQuery(shape: QueryShape): void {
    this.queries.set(describeShape(shape), shape);
  }

  addCommit({ bytes, writes }: CommitShape): void {
    this.largest.requestBytes = Math.max(this.largest.requestBytes, bytes);
    this.largest.writes = Math.max(this.largest.writes, writes.length);
    for (const write of writes) {
      this.largest.documentBytes = Math.max(this.largest.documentBytes, write.bytes);
      const fields = this.written.get(write.collection) ?? new Map<string, Set<ValueType>>();
      this.written.set(write.collection, fields);
      for (const { field, type } of write.fields)
        fields.set(field, (fields.get(field) ?? new Set()).add(type));
    }
  }
}

/**
 * What Google's Firestore would refuse, or bill without use, of what was sent: a sentence for each, with what to do.
 *
 * @param seen of a whole run: an index that it does not use is one that nobody does
 */
export function faultsOf(seen: Seen, file: IndexFile): readonly string[] {
  return [...missingIn(seen, file), ...unaskedIn(seen, file), ...unusedIn(seen, file), ...tooLargeIn(seen)];
}

function missingIn({ queries }: Seen, file: IndexFile): readonly string[] {
  return [...queries].flatMap(([text, shape]) => {
    const index = missingIndex(shape, file);
    return index === null ? [] : [`"${text}" fails when deployed: firestore.indexes.json needs ${index}`];
  });
}

/** Subcollections that this service only reads or deletes: firestore-stripe-payments’, and an owner’s in a test. */
const OF_OTHERS: ReadonlySet<string> = new Set(['checkout_sessions', 'payments', 'subscriptions', 'notes']);

/**
 * Fields of customers that aren't this service's: firestore-stripe-payments queries its own, and tests write some as
 * owners do. Deploying doesn't exempt them.
 */
const FIELDS_OF_OTHERS: ReadonlySet<string> = new Set([
  ...['stripeId', 'stripeLink', 'email'],
  ...['note', 'nickname', 'flags'],
]);

/** Each indexed field is written twice more, and a rising one of a root collection bounds how often all can be written. */
function unaskedIn({ queries, written }: Seen, file: IndexFile): readonly string[] {
  const shapes = [...queries.values()];
  return [...written].flatMap(([path, fields]) => {
    const collection = path.split('/').at(-1) ?? path;
    if (OF_OTHERS.has(collection)) return [];
    const isRoot = !path.includes('/');
    return [...fields].flatMap(([field, types]) => {
      if (collection === 'customers' && FIELDS_OF_OTHERS.has(field)) return [];
      if (singleFieldIndexes(file, collection, field).length === 0) return [];
      if (isRoot && types.has('timestamp')) {
        return [
          `${collection}.${field} rises with time and is indexed: Firestore then takes some 500 writes a second of all users together; exempt it`,
        ];
      }
      const isAsked = shapes.some((shape) => shape.collection === collection && asksFor(shape, field));
      return isAsked
        ? []
        : [`${collection}.${field} is indexed and no query asks for it: exempt it in firestore.indexes.json`];
    });
  });
}

function asksFor({ filters, orders, aggregated }: QueryShape, field: string): boolean {
  const named = [
    ...filters.map((filter) => filter.field),
    ...orders.map((order) => order.field),
    ...aggregated,
  ];
  return named.some((path) => path === field || path.startsWith(`${field}.`));
}

function unusedIn({ queries }: Seen, file: IndexFile): readonly string[] {
  const used = new Set([...queries.values()].flatMap((shape) => usedIndexes(shape, file)));
  return file.indexes
    .filter((index) => !used.has(index))
    .map(({ collectionGroup, fields }) => {
      const names = fields.map(({ fieldPath }) => fieldPath).join(', ');
      return `the composite index of ${collectionGroup} on ${names} is used by no query: take it out`;
    });
}

function tooLargeIn({ largest }: Seen): readonly string[] {
  return (['documentBytes', 'requestBytes', 'writes'] as const)
    .filter((limit) => largest[limit] > LIMITS[limit])
    .map((limit) => `a commit has ${largest[limit]} ${limit}, and Firestore takes ${LIMITS[limit]}`);
}
