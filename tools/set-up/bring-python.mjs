import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environmentFolder, findEnvironment, findPython } from './find-python.mjs';
import { cacheFolder } from './machine.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/** @typedef {import('./find-python.mjs').PythonProgram} PythonProgram */

/** Without a network, pip would try for long. */
const WITHIN_MS = 300_000;

/**
 * Makes sure that the project's cache has a program of Python's, in an environment of its own.
 *
 * @param {Machine} machine
 * @param {PythonProgram} program
 * @throws {Error} naming the way to get it when it could not be had.
 */
export async function bringPythonProgram(machine, program) {
  if (findEnvironment(machine, program)) return;
  const { name, version, leastPython, constraints, ways } = program;
  const python = findPython(machine, program);
  if (python === undefined) throw new Error(`There is no Python 3.${leastPython} with venv here.\n${ways}`);
  say(`installing ${name} ${version} with pip (about 20 s, once for all clones) …`);
  mkdirSync(cacheFolder(machine), { recursive: true });
  const place = environmentFolder(machine, program);
  const folder = mkdtempSync(`${place}.`);
  const limits = { quiet: true, withinMs: WITHIN_MS };
  try {
    const words = ['install', '--disable-pip-version-check', '--only-binary', ':all:'];
    const pinned = ['--constraint', constraints, `${name}==${version}`];
    const installed =
      (await run(python, ['-m', 'venv', folder], limits)) &&
      (await run(join(folder, 'bin', 'python3'), ['-m', 'pip', ...words, ...pinned], limits));
    if (!installed) throw new Error(`pip could not install ${name}.\n${ways}`);
    rmSync(place, { recursive: true, force: true });
    // Its own scripts name the folder that it was made in; bin/python3 does not, and is all that is run.
    renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
