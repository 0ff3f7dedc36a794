import { readFileSync, writeFileSync } from 'node:fs';
import { count, rough, table } from '../cost/texts.ts';
import { MINUTES_OF_RUN } from '../cost/workload.ts';
import { OWN } from './limits.ts';

/** What a job or a command took. What nobody measured is absent. */
export interface Taken {
  readonly seconds?: number;
  /** The most memory that its process held. */
  readonly mebibytes?: number;
  /** Documents that Firestore bills. */
  readonly reads?: number;
  readonly writes?: number;
  readonly providerCalls?: number;
}

/** docs/growth.json: what each took, by the number of customers. */
export type Growth = Readonly<Record<string, Readonly<Record<string, Taken>>>>;

/** The names of rows that more than one file knows. */
export const FIRST_COMPARISON = 'comparison, the first of everybody';
export const DAILY_COMPARISON = 'comparison, a day later';
/** Reads a day's document for each day, however many customers there are. */
export const REPORT_OF_DAYS = 'report, of days added up';

const FILE = new URL('../../docs/growth.json', import.meta.url);

export function readGrowth(): Growth {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Puts what was measured with so many customers beside what is known. */
export function keepGrowth(customers: number, measured: Readonly<Record<string, Taken>>): void {
  const rows = Object.entries(measured).map(([name, taken]) => ({ [name]: { [customers]: taken } }));
  writeFileSync(FILE, `${JSON.stringify([readGrowth(), ...rows].reduce(merged), null, 2)}\n`);
}

function merged(known: Growth, more: Growth): Growth {
  const names = Object.entries(more).map(([name, sizes]) => [name, { ...known[name], ...sizes }]);
  return { ...known, ...Object.fromEntries(names) };
}

const PROJECTED = 10_000_000;

/** What was measured by size, and a last column in proportion to the largest one. */
export function tableOfGrowth(growth: Growth): string {
  const sizes = [...new Set(Object.values(growth).flatMap((row) => Object.keys(row).map(Number)))];
  sizes.sort((one, other) => one - other);
  const rows = Object.entries(growth).map(([name, row]) => [
    name,
    ...sizes.map((size) => told(row[size] ?? {}, count)),
    name === REPORT_OF_DAYS ? 'the same' : told(projected(row), rough),
  ]);
  return table(['customers', ...sizes.map(count), `${count(PROJECTED)}, in proportion`], rows);
}

/**
 * Each figure in proportion to the largest size that it was measured with. Memory is not: it is pages of customers, not all
 * of them.
 */
export function projected(row: Growth[string]): Taken {
  const sizes = Object.keys(row)
    .map(Number)
    .sort((one, other) => one - other);
  const figures = sizes.flatMap((size) => {
    const { mebibytes: _, ...taken } = row[size] ?? {};
    return Object.entries(taken).map(([figure, value]) => [figure, (value * PROJECTED) / size]);
  });
  return Object.fromEntries(figures);
}

/** Days of a round that asks the provider so often, in runs of some minutes of each hour. */
export function daysOfCalls(calls: number): number {
  return calls / OWN.providerCalls / 60 / (24 * MINUTES_OF_RUN);
}

function told(
  { seconds, mebibytes, reads, writes, providerCalls }: Taken,
  say: (value: number) => string,
): string {
  const figures: readonly (readonly [number | undefined, string])[] = [
    seconds === undefined || seconds < 3_600 ? [seconds, 's'] : [seconds / 3_600, 'h'],
    [mebibytes, 'MiB'],
    [reads, 'reads'],
    [writes, 'writes'],
    [providerCalls, 'calls'],
  ];
  const texts = figures.flatMap(([value, unit]) => (value === undefined ? [] : [`${say(value)} ${unit}`]));
  return texts.join(', ') || '–';
}
