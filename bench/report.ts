import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { formatTable } from '../scripts/support/format-table.ts';

/** One line of the table: what was compared, the ratio where there is one, the aim, and the figures. */
export interface Row {
  readonly row: string;
  readonly what: string;
  readonly result: string;
  readonly aim: string;
  readonly met: boolean | null;
  readonly figures: Readonly<Record<string, unknown>>;
}

export function printTable(rows: readonly Row[]): void {
  const lines = rows.map(({ row, what, result, aim, met }) => [
    row,
    what,
    result,
    aim,
    met === null ? '' : met ? 'met' : 'not met',
  ]);
  console.log(formatTable(['', 'measured', 'result', 'aim', ''], lines));
}

export function writeResults(file: string, rows: readonly Row[], load: readonly number[]): void {
  const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version, loadBefore: load };
  writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), machine, rows }, null, 2)}\n`);
}
