import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  findPython,
  findSchemathesis,
  SCHEMATHESIS_VERSION,
  schemathesisFolder,
  WAYS_TO_SCHEMATHESIS,
} from './find-schemathesis.mjs';
import { cacheFolder } from './machine.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

const CONSTRAINTS = fileURLToPath(new URL('./schemathesis-constraints.txt', import.meta.url));
/** Without a network, pip would try for long. */
const WITHIN_MS = 300_000;

/**
 * Makes sure that the project's cache has schemathesis, in a Python environment of its own.
 *
 * @param {Machine} machine
 * @throws {Error} naming the way to get it when it could not be had.
 */
export async function bringSchemathesis(machine) {
  if (findSchemathesis(machine)) return;
  const python = findPython(machine);
  if (python === undefined) {
    throw new Error(`There is no Python 3.10 with venv here.\n${WAYS_TO_SCHEMATHESIS}`);
  }
  say(`installing schemathesis ${SCHEMATHESIS_VERSION} with pip (about 20 s, once for all clones) …`);
  mkdirSync(cacheFolder(machine), { recursive: true });
  const place = schemathesisFolder(machine);
  const folder = mkdtempSync(`${place}.`);
  const limits = { quiet: true, withinMs: WITHIN_MS };
  try {
    const words = ['install', '--disable-pip-version-check', '--only-binary', ':all:'];
    const pinned = ['--constraint', CONSTRAINTS, `schemathesis==${SCHEMATHESIS_VERSION}`];
    const installed =
      (await run(python, ['-m', 'venv', folder], limits)) &&
      (await run(join(folder, 'bin', 'python3'), ['-m', 'pip', ...words, ...pinned], limits));
    if (!installed) throw new Error(`pip could not install schemathesis.\n${WAYS_TO_SCHEMATHESIS}`);
    rmSync(place, { recursive: true, force: true });
    // Its own scripts name the folder that it was made in; bin/python3 does not, and is all that is run.
    renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
