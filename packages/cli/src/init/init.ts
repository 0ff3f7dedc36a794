import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { confirm } from '../support/confirm.ts';
import type { Client } from './change.ts';
import { ownEnvironment } from './client.ts';
import { detect } from './detect.ts';
import {
  linkIn,
  listFolder,
  readJournal,
  readText,
  removeFile,
  removeJournal,
  removePackages,
  writeJournal,
  writePackage,
  writeText,
} from './disk.ts';
import { JOURNAL, planUndo, record, touchedBy, wroteLast } from './journal.ts';
import { type Install, makePlan } from './plan.ts';
import { hasWork, showByHand, showPlan } from './show.ts';

const DONE = 0;
const NOTHING_DONE = 1;
const LEFT_FOR_YOU = 3;

/**
 * Adds billing to an extension and says on the console what it does.
 *
 * @param readClient called once it is known that this is an extension: packing takes a while
 * @returns the status to exit with
 */
export async function init(
  given: string,
  readClient: () => Client,
  { yes, manifest = null }: { readonly yes: boolean; readonly manifest?: string | null },
): Promise<number> {
  const folder = resolve(given);
  if (!existsSync(folder)) {
    console.error(`There is no folder ${folder}.`);
    return NOTHING_DONE;
  }
  const listing = listFolder(folder);
  const found = detect(listing, manifest);
  if (!found.ok) {
    console.error(found.why);
    return NOTHING_DONE;
  }
  const client = readClient();
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
  if (!yes && !(await confirm('\nDo this?'))) {
    console.log('\nNothing was changed.');
    return NOTHING_DONE;
  }
  const textOf = (path: string): string | null => readText(join(folder, path));
  const touched = touchedBy(plan.install, textOf);
  if (plan.install !== null) {
    writePackage(folder, client);
    if (!run(plan.install, folder)) {
      removePackages(folder);
      return NOTHING_DONE;
    }
  }
  const installed = touched.flatMap(({ path, before }) => {
    const after = textOf(path);
    return after === null || after === before ? [] : [{ path, before, after }];
  });
  // The package manager has written into package.json, where a tool may keep its manifest: what is left is decided anew.
  const settled = plan.install === null ? found : detect(listFolder(folder), manifest);
  const { writes } = settled.ok ? makePlan(settled.extension, client, wroteLast(journal)) : plan;
  // First the journal: what it names and is not written yet, undo leaves alone.
  const after = record(journal, client.version, [...installed, ...writes]);
  writeJournal(folder, after);
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
    'Commit .extension-billing: the package lies there, and --undo reads it.',
  ].join('\n');
}

/**
 * Takes back what `init` did.
 *
 * @returns the status to exit with
 */
export function undo(given: string): number {
  const folder = resolve(given);
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
  removePackages(folder);
  for (const path of plan.remove) removeFile(folder, path);
  removeJournal(folder);
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
    env: ownEnvironment(),
    shell: process.platform === 'win32',
  });
  if (status === 0) return true;
  console.error(
    `${program} failed${error === undefined ? '' : `: ${error.message}`}. Nothing else was changed.`,
  );
  return false;
}
