// The fuzzer that holds the running service to docs/openapi.json. A Python program, in an environment of its own.
import { join } from 'node:path';
import { cacheFolder, onPath } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

export const SCHEMATHESIS_VERSION = '4.32.5';

export const WAYS_TO_SCHEMATHESIS = `The service is held to docs/openapi.json by schemathesis ${SCHEMATHESIS_VERSION}, a Python program. This brings it:
  - install Python 3.10 or newer with venv (on Debian: apt-get install python3-venv) and run this again: it puts
    schemathesis into the project's cache with pip, about 20 s
  - a python3 of another name goes into the variable PYTHON`;

/** @param {Machine} machine */
export function schemathesisFolder(machine) {
  return join(cacheFolder(machine), `schemathesis-${SCHEMATHESIS_VERSION}`);
}

/**
 * The Python that has schemathesis: that of the project's cache.
 *
 * @param {Machine} machine
 * @returns {string | undefined}
 */
export function findSchemathesis(machine) {
  const python = join(schemathesisFolder(machine), 'bin', 'python3');
  return machine.isExecutable(python) ? python : undefined;
}

/**
 * A Python that can make an environment: the variable PYTHON, else the first on PATH that is new enough and has
 * venv with pip in it, which Debian leaves out.
 *
 * @param {Machine} machine
 * @returns {string | undefined}
 */
export function findPython(machine) {
  const named = machine.environment.PYTHON;
  const candidates = named ? [named] : onPath(machine, 'python3');
  const probe =
    'import sys, venv, ensurepip; print("new enough" if sys.version_info >= (3, 10) else "too old")';
  return candidates.find((python) => machine.output(python, ['-c', probe])?.includes('new enough'));
}
