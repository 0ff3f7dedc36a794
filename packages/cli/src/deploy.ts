// npm run deploy [-- --project <id>] [-- --dry-run]: checks, then deploys function, rules, TTL policies and pages.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseWords } from '../../../tools/args.ts';
import { buildFunction } from '../../../tools/suite/builds.ts';
import { carryOut, type Shell } from './deploy/carry-out.ts';

const USAGE = `usage: npm run deploy -- [--project <id>] [--site <id> | --no-hosting] [--replace] [--dry-run]
  --project  the Firebase project; without it the one that "firebase use" chose
  --site     the Hosting site of the return pages; without it the one that BILLING_SUCCESS_URL names
  --no-hosting  deploys no pages: you serve public/billing at that address yourself
  --replace  goes on where the project has rules, a website or functions that would be replaced
  --dry-run  checks everything and prints the steps, and carries out none`;

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

const shell: Shell = {
  print: (line) => console.log(line),
  build: () => buildFunction(root),
  ask: ([program = '', ...args]) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
    return { status, stdout, stderr: error?.message ?? stderr };
  },
  show: ([program = '', ...args]) => spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status ?? 1,
  read: (url) =>
    fetch(url).then(
      (response) => (response.ok ? response.text() : null),
      () => null,
    ),
  get: (url) =>
    fetch(url).then(
      ({ status }) => status,
      () => null,
    ),
};

async function main(): Promise<number> {
  const { values } = parseWords(process.argv.slice(2), USAGE, {
    options: {
      project: { type: 'string' },
      site: { type: 'string' },
      'no-hosting': { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  return carryOut(
    {
      root,
      project: values.project,
      isDryRun: values['dry-run'],
      site: values['no-hosting'] ? null : values.site,
      mayReplace: values.replace,
    },
    shell,
  );
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
