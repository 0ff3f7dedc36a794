// Programs of Python's, each in an environment of its own in the project's cache.
import { join } from 'node:path';
import { cacheFolder, onPath } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * @typedef {object} PythonProgram
 * @property {string} name as pip knows it
 * @property {string} version
 * @property {number} leastPython the oldest 3.x that it runs on, as its x
 * @property {string} constraints the file with the versions of all that it is made of
 * @property {string} ways what to do where it cannot be had
 */

/** @param {Machine} machine @param {Pick<PythonProgram, 'name' | 'version'>} program */
export function environmentFolder(machine, { name, version }) {
  return join(cacheFolder(machine), `${name}-${version}`);
}

/**
 * The Python that has a program: that of the project's cache.
 *
 * @param {Machine} machine
 * @param {Pick<PythonProgram, 'name' | 'version'>} program
 * @returns {string | undefined}
 */
export function findEnvironment(machine, program) {
  const python = join(environmentFolder(machine, program), 'bin', 'python3');
  return machine.isExecutable(python) ? python : undefined;
}

/**
 * A Python that can make an environment: the variable PYTHON, else the first on PATH that is new enough and has
 * venv with pip in it, which Debian leaves out.
 *
 * @param {Machine} machine
 * @param {Pick<PythonProgram, 'leastPython'>} program
 * @returns {string | undefined}
 */
export function findPython(machine, { leastPython }) {
  const named = machine.environment.PYTHON;
  const candidates = named ? [named] : onPath(machine, 'python3');
  const probe = `import sys, venv, ensurepip; print("new enough" if sys.version_info >= (3, ${leastPython}) else "too old")`;
  return candidates.find((python) => machine.output(python, ['-c', probe])?.includes('new enough'));
}
