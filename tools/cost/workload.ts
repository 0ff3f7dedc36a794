import { type Measured, type Operations, times } from './compute-cost.ts';

/** What a subscriber of the metered plan is taken to do in a month. */
export const MONTH = {
  subscribers: 1_000,
  days: 30,
  /** The whole allowance, at one credit each. */
  consumes: 1_000,
  /** Share of the consumes that come after a pause, or on another instance. */
  unseen: 0.1,
  /** Times that the extension is opened: each begins with one read of the record. */
  openings: 60,
  /** Events of a renewal: invoice.paid and customer.subscription.updated. */
  events: 2,
} as const;

/** Reads for one user of the daily comparison: record, facts, their customer, and the ledger's sum by the thousand. */
const COMPARISON: Operations = { reads: 4, writes: 0 };

interface MonthLine {
  readonly what: string;
  readonly operations: Required<Operations>;
  /** Requests to the function. */
  readonly requests: number;
}

/** One line for each thing that costs something, for all subscribers. */
export function subscribersMonth({ operationsOf }: Measured): readonly MonthLine[] {
  const { subscribers, days, consumes, unseen, openings, events } = MONTH;
  const all = subscribers * consumes;
  const late = Math.round(all * unseen);
  const line = (what: string, count: number, each: Operations, requests: number): MonthLine => ({
    what,
    operations: times(count, each),
    requests,
  });
  return [
    line(
      'consumes of users seen lately',
      all - late,
      operationsOf('consume, of a user seen lately'),
      all - late,
    ),
    line('consumes of users not seen lately', late, operationsOf('consume, of a user not seen lately'), late),
    line('the new balance, read by the extension’s listener', all, { reads: 1, writes: 0 }, 0),
    line('the record, read when the extension is opened', subscribers * openings, { reads: 1, writes: 0 }, 0),
    line(
      'events of renewals',
      subscribers * events,
      operationsOf('webhook, a renewal'),
      subscribers * events,
    ),
    line('event markers that expire', subscribers * events, { reads: 0, writes: 0, deletes: 1 }, 0),
    line('the daily comparison with Stripe', subscribers * days, COMPARISON, 0),
  ];
}

/** A field as it is stored: its name and the bytes of its value. */
type Field = readonly [name: string, bytes: number];

const text = (value: string): number => value.length + 1;
const NUMBER = 8;
const TIMESTAMP = 8;

/** A consume's ledger entry, as `toEntryDocument` writes it (functions/src/store/documents.ts). */
export const CONSUME_FIELDS: readonly Field[] = [
  ['kind', text('consume')],
  ['feature', text('demo_deep')],
  ['cost', NUMBER],
  ['outcome', text('granted')],
  ['deltaAllowance', NUMBER],
  ['deltaPack', NUMBER],
  ['allowance', NUMBER],
  ['packCredits', NUMBER],
  ['createdAt', TIMESTAMP],
  ['correlationId', text('a'.repeat(36))],
];

const PARENT = ['customers', 'a'.repeat(28)];
const NAME = [...PARENT, 'credit_ledger', `consume_${'a'.repeat(36)}`];

export interface EntrySize {
  readonly document: number;
  readonly indexes: number;
}

/**
 * Bytes that one such entry takes, by Firestore's own reckoning (https://firebase.google.com/docs/firestore/storage-size):
 * the document, for each indexed field one ascending and one descending entry of its collection, and for each composite
 * index one entry, which holds the values without their names.
 */
export function sizeOfEntry(
  indexed: (field: string) => boolean,
  composites: readonly (readonly string[])[] = [],
): EntrySize {
  const name = nameSize(NAME);
  const fields = CONSUME_FIELDS.map(([field, bytes]) => [field, text(field) + bytes] as const);
  const document = name + fields.reduce((sum, [, bytes]) => sum + bytes, 0) + 32;
  const around = name + nameSize(PARENT) + 32;
  const single = fields
    .filter(([field]) => indexed(field))
    .reduce((sum, [, bytes]) => sum + 2 * (around + bytes), 0);
  const composite = composites.reduce(
    (sum, names) =>
      sum +
      CONSUME_FIELDS.filter(([field]) => names.includes(field)).reduce(
        (all, [, bytes]) => all + bytes,
        around,
      ),
    0,
  );
  return { document, indexes: single + composite };
}

function nameSize(path: readonly string[]): number {
  return path.reduce((sum, part) => sum + text(part), 16);
}
