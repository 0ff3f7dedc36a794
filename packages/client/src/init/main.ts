import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { Client } from './change.ts';
import { detect } from './detect.ts';
import { linkIn, listFolder, readJournal, readText, removeFile, writeText } from './disk.ts';
import { JOURNAL, planUndo, record, touchedBy, wroteLast } from './journal.ts';
import { type Install, makePlan } from './plan.ts';
import { hasWork, showByHand, showPlan } from './show.ts';

const USAGE = `usage: npx @extension-billing/client init [folder] [--yes] [--undo]

Puts billing into the extension in this folder, or in the one that is named: the call in the background, permissions,
billing.config.ts, a page, and the addresses of the local service. Shows what it will change, and asks once.

  --yes    asks nothing
  --undo   takes back what it did; refuses where you edited one of these files since

Status: 0 done, 1 nothing was done, 2 wrong usage, 3 done, and the lines that it printed are left for you.`;

const DONE = 0;
const NOTHING_DONE = 1;
const WRONG_USAGE = 2;
const LEFT_FOR_YOU = 3;

/**
 * Runs the command and says what it does on the console.
 *
 * @returns the status to exit with
 */
export async function main(args: readonly string[], client: Client): Promise<number> {
  const given = readArgs(args);
  if (given === null) {
    const asked = args.includes('--help') || args.includes('-h');
    (asked ? console.log : console.error)(USAGE);
    return asked ? DONE : WRONG_USAGE;
  }
  const { folder } = given;
  if (!existsSync(folder)) {
    console.error(`There is no folder ${folder}.`);
    return NOTHING_DONE;
  }
  return given.undo ? undo(folder) : init(folder, client, given.yes);
}

function readArgs(args: readonly string[]): { folder: string; yes: boolean; undo: boolean } | null {
  try {
    const options = { yes: { type: 'boolean' }, undo: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [command, folder = '.', ...more] = positionals;
    if (command !== 'init' || more.length > 0) return null;
    return { folder: resolve(folder), yes: values.yes ?? false, undo: values.undo ?? false };
  } catch {
    return null;
  }
}

async function init(folder: string, client: Client, yes: boolean): Promise<number> {
  const listing = listFolder(folder);
  const found = detect(listing);
  if (!found.ok) {
    console.error(found.why);
    return NOTHING_DONE;
  }
  const journal = readJournal(folder);
  const plan = makePlan(found.extension, client, wroteLast(journal));
  console.log(showPlan(found.extension, plan));
  if (plan.byHand.length > 0) console.log(`\n${showByHand(plan.byHand)}`);
  const status = plan.byHand.length > 0 ? LEFT_FOR_YOU : DONE;
  if (!hasWork(plan)) return status;
  const links = new Set(
    [...plan.writes.map(({ path }) => path), JOURNAL].flatMap((path) => linkIn(folder, path) ?? []),
  );
  if (links.size > 0) {
    console.error(
      `\nNothing was changed: what is written there would land somewhere else, by the link\n${[...links].map((path) => `  ${path}`).join('\n')}`,
    );
    return NOTHING_DONE;
  }
  if (!yes && !(await confirm())) {
    console.log('\nNothing was changed.');
    return NOTHING_DONE;
  }
  const textOf = (path: string): string | null => readText(join(folder, path));
  const touched = touchedBy(plan.install, textOf);
  if (plan.install !== null && !run(plan.install, folder)) return NOTHING_DONE;
  const installed = touched.flatMap(({ path, before }) => {
    const after = textOf(path);
    return after === null || after === before ? [] : [{ path, before, after }];
  });
  // The package manager has written into package.json, where a tool may keep its manifest: what is left is decided anew.
  const settled = plan.install === null ? found : detect(listFolder(folder));
  const { writes } = settled.ok ? makePlan(settled.extension, client, wroteLast(journal)) : plan;
  // First the journal: what it names and is not written yet, undo leaves alone.
  const after = record(journal, client.version, [...installed, ...writes]);
  writeText(folder, JOURNAL, `${JSON.stringify(after, null, 2)}\n`);
  for (const { path, after } of writes) writeText(folder, path, after);
  console.log(`\n${nextSteps(plan.next)}`);
  return status;
}

function nextSteps({ build, load }: { readonly build: string | null; readonly load: string }): string {
  const folder = load === '.' ? '<this folder>' : `<this folder>/${load}`;
  return [
    'Done. Next:',
    ...(build === null ? [] : [`  ${build}`]),
    `  npm start -- --extension ${folder}    in the checkout of extension-billing`,
    'Then create an account on billing’s page, buy the pack with card 4242 4242 4242 4242, and press the button.',
    'What was done is in .extension-billing/init.json; --undo takes it back.',
  ].join('\n');
}

function undo(folder: string): number {
  const journal = readJournal(folder);
  if (journal === null) {
    console.error(`There is no ${JOURNAL} here: nothing to take back.`);
    return NOTHING_DONE;
  }
  const plan = planUndo(journal, (path) => readText(join(folder, path)));
  if (!plan.ok) {
    const names = plan.edited.map((path) => `  ${path}`).join('\n');
    console.error(`Nothing was taken back: since init wrote them, somebody edited\n${names}`);
    return NOTHING_DONE;
  }
  for (const { path, text } of plan.restore) writeText(folder, path, text);
  for (const path of [...plan.remove, JOURNAL]) removeFile(folder, path);
  console.log(
    `Everything is as it was before init.${journal.files.some(({ path }) => path === 'package.json') ? ' Install once more, so that node_modules follows.' : ''}`,
  );
  if (plan.kept.length === 0) return DONE;
  console.log(
    `These stay, since you edited them; remove them if you like:\n${plan.kept.map((path) => `  ${path}`).join('\n')}`,
  );
  return LEFT_FOR_YOU;
}

function run({ command }: Install, folder: string): boolean {
  const [program = '', ...words] = command;
  console.log(`\n${command.join(' ')}`);
  const { status, error } = spawnSync(program, words, {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return true;
  console.error(
    `${program} failed${error === undefined ? '' : `: ${error.message}`}. Nothing else was changed.`,
  );
  return false;
}

async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    console.log('\nNobody is here to ask: say --yes.');
    return false;
  }
  const asked = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asked.question('\nDo this? [y/N] ');
  asked.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/**
 * The package that this file belongs to.
 *
 * @param dist its dist folder
 */
export function packageAt(dist: string): Client {
  const { version } = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  return {
    version,
    spec: specOf(dist) ?? `^${version}`,
    file: (name) => readFileSync(join(dist, name), 'utf8'),
  };
}

/** How whoever installed the package named it, where that is a file: npx writes it down beside its node_modules. */
function specOf(dist: string): string | null {
  const above = resolve(dist, '../../../..');
  const text = readText(join(above, 'package.json'));
  if (text === null) return null;
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  const spec = dependencies['@extension-billing/client'];
  return spec?.startsWith('file:') ? resolve(above, spec.slice('file:'.length)) : null;
}
