// A Firefox that the journeys can drive. The extension itself asks for 140; that one's remote protocol opens no page of
// an extension, which 153's does. Those between were not tried.
import { join } from 'node:path';
import { cacheFolder, onPath, thisMachine } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

export const LEAST_FIREFOX = 153;

export const WAYS_TO_FIREFOX = `The extension's tests in Firefox need Firefox ${LEAST_FIREFOX} or newer. Any one of these does:
  - node tools/set-up.mjs firefox
  - on Debian: apt-get install firefox-esr
  - put the path of a Firefox in the variable FIREFOX (not a snap: it cannot read the tests' profiles)`;

/** @param {Machine} machine */
export function firefoxFolder(machine) {
  return join(cacheFolder(machine), 'firefox');
}

/**
 * The file that starts the Firefox that set-up brought.
 *
 * @param {Machine} machine
 */
export function broughtFirefox(machine) {
  return join(firefoxFolder(machine), 'start-firefox');
}

/**
 * @param {Machine} machine
 * @returns {string | undefined} the variable FIREFOX, else what set-up brought, else one on PATH or in Applications
 */
export function chooseFirefox(machine) {
  const named = machine.environment.FIREFOX;
  if (named) return machine.isExecutable(named) ? named : undefined;
  const brought = broughtFirefox(machine);
  if (machine.isExecutable(brought)) return brought;
  const onThePath = ['firefox-esr', 'firefox'].flatMap((name) => onPath(machine, name));
  const inApplications =
    machine.platform === 'darwin' ? ['/Applications/Firefox.app/Contents/MacOS/firefox'] : [];
  return [...onThePath, ...inApplications].find(
    (program) => machine.isExecutable(program) && !isSnap(machine, program) && isNewEnough(machine, program),
  );
}

/** @param {Machine} machine @param {string} program */
function isSnap(machine, program) {
  return machine.realPath(program).includes('/snap') || (machine.read(program) ?? '').includes('/snap/bin/');
}

/** @param {Machine} machine @param {string} program */
export function isNewEnough(machine, program) {
  const [, version = '0'] = /Firefox (\d+)/.exec(machine.output(program, ['--version']) ?? '') ?? [];
  return Number(version) >= LEAST_FIREFOX;
}

/** @param {Readonly<Record<string, string | undefined>>} environment */
export function findFirefox(environment) {
  return chooseFirefox(thisMachine(environment));
}
