// npm run deploy [-- --project <id>] [-- --dry-run]: checks, then deploys function, rules, TTL policies and pages.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseWords } from './command-line.ts';
import { carryOut, type Shell } from './deploy/carry-out.ts';
import { buildFunction } from './suite/builds.ts';

const USAGE = `usage: npm run deploy -- [--project <id>] [--dry-run]
  --project  the Firebase project; without it the one that "firebase use" chose
  --dry-run  checks everything and prints the steps, and carries out none`;

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const shell: Shell = {
  print: (line) => console.log(line),
  build: () => buildFunction(root),
  ask: ([program = '', ...args]) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
    return { status, stdout, stderr: error?.message ?? stderr };
  },
  show: ([program = '', ...args]) => spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status ?? 1,
  get: (url) =>
    fetch(url).then(
      ({ status }) => status,
      () => null,
    ),
};

async function main(): Promise<number> {
  const { values } = parseWords(process.argv.slice(2), USAGE, {
    options: { project: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  });
  return carryOut({ root, project: values.project, isDryRun: values['dry-run'] }, shell);
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
