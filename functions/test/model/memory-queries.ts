import type { AggregateField } from 'firebase-admin/firestore';
import type { MemoryCollection } from './memory-firestore.ts';

// What is asked of a collection of memory-firestore.ts as a whole.

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
