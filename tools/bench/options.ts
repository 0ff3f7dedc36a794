import { parseArgs } from 'node:util';

/** The rows of the table, by the letters of docs/performance.md. */
export const ROW_NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'k', 'l', 'm', 'n', 'i'] as const;
export type RowName = (typeof ROW_NAMES)[number];

export interface Options {
  readonly rows: readonly RowName[];
  /** How many customers, each with a ledger entry, row (i) grows to. */
  readonly customers: number;
  /** Counted rounds of each comparison. */
  readonly rounds: number;
  /** Requests of each load whose p99 is told, in three runs together. */
  readonly samples: number;
  /** Where the figures are written. */
  readonly json: string | null;
  /** Whether the documents get the figures. */
  readonly record: boolean;
}

export const USAGE = `usage: npm run bench -- [--only a,e] [--customers 100000] [--rounds 5] [--samples 10200]
                        [--json FILE] [--record]

Measures the service's hot paths beside plain ones, prints a table and writes tools/bench/results.json.
--only       these rows alone: ${ROW_NAMES.join(' ')} (docs/performance.md says what each is)
--customers  how far row i grows the database (default 20000; 100000 takes about two minutes more)
--rounds     counted rounds of each comparison (default 5; fewer is faster and says less)
--samples    requests of each load of rows l and m (default 10200; below 10000 no p99 is told)
--json       another file for the figures
--record     of a quiet machine: writes docs/performance.{json,md}, README.md's table, docs/cost.md and docs/scale.md`;

/** @throws Error that says what is wrong with the arguments. */
export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      customers: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '5' },
      samples: { type: 'string', default: '10200' },
      json: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  if (values.record && values.only !== undefined)
    throw new Error('--record takes every row: leave --only out.');
  return {
    rows: values.only === undefined ? ROW_NAMES : chosen(values.only),
    customers: asCount('--customers', values.customers, 10),
    rounds: asCount('--rounds', values.rounds, 1),
    samples: asCount('--samples', values.samples, 30),
    json: values.json ?? null,
    record: values.record,
  };
}

/** In the table's order, whatever the order that they are named in: the last row empties the database. */
function chosen(text: string): readonly RowName[] {
  const names = text.split(',').map(asRow);
  return ROW_NAMES.filter((name) => names.includes(name));
}

function asRow(text: string): RowName {
  const row = ROW_NAMES.find((name) => name === text.trim());
  if (row === undefined)
    throw new Error(`--only: there is no row "${text}"; there are ${ROW_NAMES.join(' ')}.`);
  return row;
}

function asCount(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${option} must be a whole number from ${least}, but it is "${text}".`);
}
