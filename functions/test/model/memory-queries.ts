import { type AggregateField, type FieldPath, Timestamp } from 'firebase-admin/firestore';
import type { MemoryCollection } from './memory-firestore.ts';

// What is asked of a collection of memory-firestore.ts as a whole.

interface Asked {
  readonly bounds: readonly {
    readonly field: string;
    readonly comparison: '<' | '>=';
    readonly bound: Timestamp;
  }[];
  readonly descending?: boolean;
  readonly after?: { readonly at: Timestamp; readonly id: string };
  readonly limit?: number;
}

/** A collection by one time of its documents, and then by their ids: the only query with an order that the service makes. */
export class MemoryQuery {
  readonly #of: MemoryCollection;
  readonly #asked: Asked;

  constructor(of: MemoryCollection, asked: Asked) {
    this.#of = of;
    this.#asked = asked;
  }

  where(field: string, comparison: '<' | '>=', bound: Timestamp): MemoryQuery {
    return this.#with({ bounds: [...this.#asked.bounds, { field, comparison, bound }] });
  }

  orderBy(_field: string | FieldPath, direction: 'asc' | 'desc' = 'asc'): MemoryQuery {
    return this.#with({ descending: direction === 'desc' });
  }

  startAfter(at: Timestamp, id: string): MemoryQuery {
    return this.#with({ after: { at, id } });
  }

  /** Whole documents are answered all the same. */
  select(..._fields: readonly string[]): this {
    return this;
  }

  limit(limit: number): MemoryQuery {
    return this.#with({ limit });
  }

  async get() {
    const { bounds, descending = false, after, limit } = this.#asked;
    const [{ field } = { field: '' }] = bounds;
    const placed = (await this.#of.owner.query(this.#of.path)).flatMap((snapshot) => {
      const at: unknown = snapshot.get(field);
      return at instanceof Timestamp ? [{ at, id: snapshot.id, snapshot }] : [];
    });
    const docs = placed
      .filter(({ at }) =>
        bounds.every(({ comparison, bound }) => (comparison === '<' ? at < bound : at >= bound)),
      )
      .sort((a, b) => (descending ? compare(b, a) : compare(a, b)))
      .filter(
        (each) => after === undefined || (descending ? compare(each, after) < 0 : compare(each, after) > 0),
      )
      .slice(0, limit)
      .map(({ snapshot }) => snapshot);
    return { docs, size: docs.length, empty: docs.length === 0 };
  }

  #with(more: Partial<Asked>): MemoryQuery {
    return new MemoryQuery(this.#of, { ...this.#asked, ...more });
  }
}

interface Placed {
  readonly at: Timestamp;
  readonly id: string;
}

function compare(a: Placed, b: Placed): number {
  if (!a.at.isEqual(b.at)) return a.at < b.at ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** Sums over a collection's fields, the only aggregation that the service asks for. */
export class MemoryAggregate {
  readonly #of: MemoryCollection;
  readonly #fields: Readonly<Record<string, AggregateField<number>>>;

  constructor(of: MemoryCollection, fields: Readonly<Record<string, AggregateField<number>>>) {
    this.#of = of;
    this.#fields = fields;
  }

  async get() {
    const { docs } = await this.#of.get();
    const sums = Object.entries(this.#fields).map(([name, aggregated]) => {
      const { aggregateType, _field } = aggregated as unknown as { aggregateType: string; _field: string };
      if (aggregateType !== 'sum') throw new Error(`no ${aggregateType} in memory`);
      return [name, docs.reduce((sum, doc) => sum + Number(doc.get(_field) ?? 0), 0)];
    });
    return { data: () => Object.fromEntries(sums) as Record<string, number> };
  }
}
