import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../packages/cli/src/local/ports.ts';
import type { Processes } from '../suite/processes.ts';
import { type Adopt, runCommand } from '../suite/run-command.ts';
import type { Phase } from './phases.ts';
import { type Tally, tallyOfStatus, tallyOfVitest, type VitestReport } from './tally.ts';

/** What came of one phase. */
export interface PhaseResult {
  readonly name: string;
  readonly tally: Tally;
  readonly seconds: number;
  /** What vitest said of its tests, one by one; none for a single check, or when it left none. */
  readonly report?: VitestReport | undefined;
  /** What it printed, where that was not shown as it came. */
  readonly output?: string | undefined;
}

interface Running {
  readonly environment: Environment;
  readonly processes: Processes;
  /** Where reports and outputs go. */
  readonly folder: string;
  /** Whether nothing else prints meanwhile: then its output is seen as it comes, else in one piece at its end. */
  readonly isAlone: boolean;
  /** How much it leaves the processors to others: 0 is as usual, 19 is the most. */
  readonly niceness: number;
}

/** Runs one phase, shows what it prints, and counts. */
export async function runPhase(
  phase: Phase,
  { environment, processes, folder, isAlone, niceness }: Running,
): Promise<PhaseResult> {
  const { name } = phase;
  const file = join(folder, `${name}.json`);
  rmSync(file, { force: true });
  const reporting = ['--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile=${file}`];
  const words = phase.reports ? [...phase.command, ...reporting] : phase.command;
  const started = Date.now();
  if (isAlone) printHeading(phase);
  else console.log(`${name} begins`);
  const log = join(folder, `${name}.log`);
  const output = isAlone ? 'inherit' : openSync(log, 'w');
  const adopt: Adopt = (child, leadsGroup) => {
    processes.adopt(name, child, leadsGroup);
    if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  };
  const status = runCommand(words, environment, adopt, output);
  if (output !== 'inherit') closeSync(output);
  const code = await status;
  const printed = isAlone ? undefined : readFileSync(log, 'utf8').trim();
  if (printed !== undefined) {
    printHeading(phase);
    console.log(printed);
  }
  const seconds = (Date.now() - started) / 1000;
  if (!phase.reports) return { name, tally: tallyOfStatus(code), seconds, output: printed };
  const report = readReport(file);
  return { name, tally: tallyOfVitest(report, code), seconds, report, output: printed };
}

function printHeading({ name, what }: Phase): void {
  console.log(`\n── ${name}: ${what} ${'─'.repeat(Math.max(0, 60 - what.length))}`);
}

function readReport(file: string): VitestReport | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as VitestReport) : undefined;
}
