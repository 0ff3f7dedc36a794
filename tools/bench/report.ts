import { cpus } from 'node:os';
import { formatTable } from '../../packages/cli/src/support/describe.ts';

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

export interface Machine {
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

export const saysMet = (met: boolean | null): string => (met === null ? '' : met ? 'met' : 'not met');

/** As JSON with three digits that count: what a benchmark says beyond them is noise. */
export function toJson(results: Results): string {
  const round = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value;
  return `${JSON.stringify(results, round, 2)}\n`;
}
