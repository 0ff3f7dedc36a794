import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../ports.ts';
import type { Processes } from '../suite/processes.ts';
import { runCommand } from '../suite/run-command.ts';
import type { Phase } from './phases.ts';
import { type Tally, tallyOfStatus, tallyOfVitest, type VitestReport } from './tally.ts';

/** Runs one phase, shows what it prints, and counts. */
export async function runPhase(
  phase: Phase,
  environment: Environment,
  processes: Processes,
  folder: string,
): Promise<Tally> {
  console.log(`\n── ${phase.name}: ${phase.what} ${'─'.repeat(Math.max(0, 60 - phase.what.length))}`);
  const report = join(folder, `${phase.name}.json`);
  rmSync(report, { force: true });
  const reporting = ['--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile=${report}`];
  const words = phase.reports ? [...phase.command, ...reporting] : phase.command;
  const { child, leadsGroup, status } = runCommand(words, environment);
  processes.adopt(phase.name, child, leadsGroup);
  const code = await status;
  if (!phase.reports) return tallyOfStatus(code);
  const tally = tallyOfVitest(readReport(report), code);
  if (tally.passed + tally.failed + tally.skipped === 0) console.log(`${phase.name} has no tests yet.`);
  return tally;
}

function readReport(file: string): VitestReport | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as VitestReport) : undefined;
}
