import { cpus } from 'node:os';
import { formatTable } from '../../packages/cli/src/support/describe.ts';
import type { Compared } from './measure.ts';

/** The load average of the last minute above which a run says more about its neighbours than about the service. */
export const QUIET = 1.5;

/** One line of the table: what was compared, the ratio where there is one, the aim, and the figures behind it. */
export interface Row {
  readonly row: string;
  readonly what: string;
  readonly result: string;
  readonly aim: string;
  /** Null where nothing is aimed at, or nothing could be measured. */
  readonly met: boolean | null;
  readonly figures: Readonly<Record<string, unknown>>;
}

/** A ratio with the lowest and the highest that it was. */
export const withSpread = (value: number, [low, high]: readonly [number, number]): string =>
  `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;

/** One contender's ratios to another's, and how a row says them. */
export function ratiosOf(compared: Compared, of: string, to: string) {
  const throughput = compared.ratio('perSecond', of, to);
  const latency = compared.ratio('p50', of, to);
  const cpu = compared.ratio('cpu', of, to);
  const told = (value: number, figure: 'perSecond' | 'p50' | 'cpu'): string =>
    withSpread(value, compared.spread(figure, of, to));
  const words = `throughput ${told(throughput, 'perSecond')}, p50 ${told(latency, 'p50')}, CPU ${told(cpu, 'cpu')}`;
  return { ratios: { throughput, latency, cpu }, words };
}

interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly node: string;
  /** Load averages of 1, 5 and 15 minutes before the first row; the suite had just come up. */
  readonly loadBefore: readonly number[];
}

/** What a run writes down: bench/results.json, and docs/performance.json when it was a quiet one. */
export interface Results {
  readonly at: string;
  readonly machine: Machine;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

export function describeMachine(loadBefore: readonly number[]): Machine {
  const [first] = cpus();
  return { cpus: cpus().length, model: first?.model ?? 'unknown', node: process.version, loadBefore };
}

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ row, what, result, aim, met }) => [row, what, aim, saysMet(met), result]);
  return formatTable(['', 'measured', 'aim', '', 'result'], lines);
}

const saysMet = (met: boolean | null): string => (met === null ? '' : met ? 'met' : 'not met');

/** As JSON with three digits that count: what a benchmark says beyond them is noise. */
export function toJson(results: Results): string {
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
  return `${JSON.stringify(results, round, 2)}\n`;
}

const BEGIN = '<!-- measured: written by npm run bench -- --record -->';
const END = '<!-- /measured -->';
const NOTHING = 'No run on a quiet machine has been recorded yet.';

/** The measured table as Markdown, with what it was measured on and the command for each row. */
export function describeResults(results: Results | null): string {
  if (results === null) return NOTHING;
  const { at, machine, seconds, rows } = results;
  const load = machine.loadBefore.map((average) => average.toFixed(2)).join(', ');
  const heading = ['row', 'measured', 'aim', '', 'result', '`npm run bench --`'];
  const lines = rows.map(({ row, what, aim, met, result }) => [
    row,
    what,
    aim,
    saysMet(met),
    result,
    `\`--only ${row}\``,
  ]);
  return [
    `Measured on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC: ${machine.cpus} × ${machine.model}, Node ${machine.node.slice(1)}, load averages before ${load}; the run took ${Math.round(seconds)} s.`,
    '',
    ...[heading, heading.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}

/** What the README shows: a few rows that say most, by what they measure. */
const HIGHLIGHTS: readonly string[] = [
  'consume, of a user seen lately',
  "consume, 32 at a time, of the plain transaction's",
  'consume, 4 instances at random, version carried, 10 ms to Firestore',
  'throughput, 4 instances at random, version carried, of 4 with each user at one',
  'mixed requests, 4 instances at random, version carried, 10 ms to Firestore',
  '50 at once on one user, of one instance',
  '3 processes × 20 at once on one user',
  "webhook to the snapshot in the extension's storage, worker awake",
  "start to first consume, of an Express hello's start",
  'checkout of a pack, price and customer known',
];

/** Those that a run has not: all are there when it is recorded, or their names have changed. */
export const missingHighlights = ({ rows }: Pick<Results, 'rows'>): readonly string[] =>
  HIGHLIGHTS.filter((highlight) => rows.every(({ what }) => what !== highlight));

/** The README's table, from the same run. */
export function describeHighlights(results: Results | null): string {
  if (results === null) return NOTHING;
  const lines = HIGHLIGHTS.flatMap((highlight) => {
    const row = results.rows.find(({ what }) => what === highlight);
    return row === undefined
      ? []
      : [`| ${row.what} | ${row.result} | \`npm run bench -- --only ${row.row}\` |`];
  });
  return ['| measured | result | command |', '| --- | --- | --- |', ...lines].join('\n');
}

/**
 * Puts a text in the place of what stands between the two markers of a document.
 *
 * @throws Error when the markers are not there, or not in their order
 */
export function replaceMeasured(document: string, text: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the document needs "${BEGIN}", and "${END}" after it`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${document.slice(end)}`;
}
