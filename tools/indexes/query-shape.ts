import { messageAt, messagesAt, numberAt, textAt } from './wire.ts';

/** What of a query decides which index it needs: never a value that it asks for. */
export interface QueryShape {
  /** Id of the collection, its last part. */
  readonly collection: string;
  /** Whether it asks all collections of that id, wherever they are (a collection group). */
  readonly isGroup: boolean;
  readonly filters: readonly { readonly field: string; readonly kind: FilterKind }[];
  readonly orders: readonly Order[];
  /** Fields that are added up or averaged. */
  readonly aggregated: readonly string[];
}

/** How a filter uses an index: one value of it, one member of an array, or a range. */
export type FilterKind = 'equality' | 'array' | 'range';

export interface Order {
  readonly field: string;
  readonly direction: Direction;
}
export type Direction = 'ASCENDING' | 'DESCENDING';

/** A field's path in a query stands for the document's id under this name. */
export const ID = '__name__';

// Field numbers of google.firestore.v1, which Google publishes as .proto files (googleapis/googleapis).
const RUN_QUERY = { structuredQuery: 2 };
const RUN_AGGREGATION = { structuredAggregationQuery: 2 };
const AGGREGATION_QUERY = { structuredQuery: 1, aggregations: 3 };
const AGGREGATION = { sum: 2, avg: 3 };
const LISTEN = { addTarget: 2 };
const TARGET = { query: 2 };
const QUERY = { from: 2, where: 3, orderBy: 4, findNearest: 9 };
const SELECTOR = { collectionId: 2, allDescendants: 3 };
const FILTER = { composite: 1, field: 2, unary: 3 };
const COMPOSITE = { op: 1, filters: 2 };
const COMPOSITE_OR = 2;
const FIELD_FILTER = { field: 1, op: 2 };
const UNARY_FILTER = { op: 1, field: 2 };
const ORDER = { field: 1, direction: 2 };
const DESCENDING = 2;
const REFERENCE = { fieldPath: 2 };

const FIELD_OPERATORS: Readonly<Record<number, FilterKind>> = {
  ...{ 1: 'range', 2: 'range', 3: 'range', 4: 'range', 6: 'range', 10: 'range' },
  // An `in` is several equalities, each with the same index.
  ...{ 5: 'equality', 8: 'equality' },
  ...{ 7: 'array', 9: 'array' },
};
/** Is NaN, is null, and the opposites of both. */
const UNARY_OPERATORS: Readonly<Record<number, FilterKind>> = {
  ...{ 2: 'equality', 3: 'equality' },
  ...{ 4: 'range', 5: 'range' },
};

/**
 * The query in a request to Firestore: RunQuery, RunAggregationQuery, or a Listen that adds one. Null where it asks for
 * documents by their names, which needs no index.
 *
 * @param request the message, without the frame that gRPC puts around it
 * @throws Error on a query of which nobody has said what index it needs (an `or`, a nearest neighbour)
 */
export function readQuery(method: string, request: Uint8Array): QueryShape | null {
  if (method === 'RunQuery') return shapeOf(messageAt(request, RUN_QUERY.structuredQuery), []);
  if (method === 'RunAggregationQuery') {
    const query = messageAt(request, RUN_AGGREGATION.structuredAggregationQuery) ?? new Uint8Array();
    const aggregated = messagesAt(query, AGGREGATION_QUERY.aggregations).flatMap((aggregation) =>
      [AGGREGATION.sum, AGGREGATION.avg].flatMap((kind) =>
        messagesAt(aggregation, kind).map((message) => referenceAt(message, 1)),
      ),
    );
    return shapeOf(messageAt(query, AGGREGATION_QUERY.structuredQuery), aggregated);
  }
  if (method !== 'Listen') return null;
  const target = messageAt(request, LISTEN.addTarget);
  const query = target && messageAt(target, TARGET.query);
  return query === undefined ? null : shapeOf(messageAt(query, RUN_QUERY.structuredQuery), []);
}

function shapeOf(query: Uint8Array | undefined, aggregated: readonly string[]): QueryShape | null {
  if (query === undefined) return null;
  if (messageAt(query, QUERY.findNearest) !== undefined) throw new Error('a query for nearest neighbours');
  const from = messageAt(query, QUERY.from);
  // Without a collection it asks for whatever lies below a document, by names.
  if (from === undefined) return null;
  const where = messageAt(query, QUERY.where);
  return {
    collection: textAt(from, SELECTOR.collectionId),
    isGroup: numberAt(from, SELECTOR.allDescendants) === 1,
    filters: where === undefined ? [] : filtersIn(where),
    orders: messagesAt(query, QUERY.orderBy).map((order) => ({
      field: referenceAt(order, ORDER.field),
      direction: numberAt(order, ORDER.direction) === DESCENDING ? 'DESCENDING' : 'ASCENDING',
    })),
    aggregated: [...new Set(aggregated)],
  };
}

function filtersIn(filter: Uint8Array): QueryShape['filters'] {
  const composite = messageAt(filter, FILTER.composite);
  if (composite !== undefined) {
    const parts = messagesAt(composite, COMPOSITE.filters);
    if (numberAt(composite, COMPOSITE.op) === COMPOSITE_OR && parts.length > 1) throw new Error('an "or"');
    return parts.flatMap(filtersIn);
  }
  const field = messageAt(filter, FILTER.field);
  if (field !== undefined) {
    const kind = kindOf(FIELD_OPERATORS, numberAt(field, FIELD_FILTER.op));
    return [{ field: referenceAt(field, FIELD_FILTER.field), kind }];
  }
  const unary = messageAt(filter, FILTER.unary);
  if (unary === undefined) throw new Error('a filter of an unknown kind');
  const kind = kindOf(UNARY_OPERATORS, numberAt(unary, UNARY_FILTER.op));
  return [{ field: referenceAt(unary, UNARY_FILTER.field), kind }];
}

function kindOf(operators: Readonly<Record<number, FilterKind>>, operator: number): FilterKind {
  const kind = operators[operator];
  if (kind === undefined) throw new Error(`a filter with the unknown operator ${operator}`);
  return kind;
}

function referenceAt(message: Uint8Array, field: number): string {
  const reference = messageAt(message, field);
  return reference === undefined ? '' : textAt(reference, REFERENCE.fieldPath);
}

/** The shape as a person reads it, the same for the same shape. */
export function describeShape({ collection, isGroup, filters, orders, aggregated }: QueryShape): string {
  const parts = [
    isGroup ? `all ${collection}` : collection,
    ...filters.map(({ field, kind }) => `where ${field} (${kind})`),
    ...orders.map(({ field, direction }) => `order by ${field} ${direction.toLowerCase()}`),
    ...(aggregated.length > 0 ? [`adding up ${aggregated.join(' and ')}`] : []),
  ];
  return parts.join(', ');
}
