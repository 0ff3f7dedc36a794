// What serves Firestore locally: hidane, or the official emulator where a Java that runs it is there.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, onPath, programName, thisMachine } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/** @typedef {{ kind: 'hidane', program: string }} Hidane */
/** @typedef {{ kind: 'official' }} Official the one that firebase-tools starts itself */
/** @typedef {{ kind: 'missing', why: string }} Missing */

export const HIDANE_VERSION = '0.6.0';
const LEAST_JAVA = 21;

export const WAYS_TO_FIRESTORE = `Firestore is served by hidane ${HIDANE_VERSION}, or by the official emulator. Any one of these does:
  - let this machine reach github.com (HTTPS_PROXY is read; HIDANE_RELEASES_URL names a mirror), and run this again
  - put a hidane ${HIDANE_VERSION} from https://hidane.dev on PATH, or its path in the variable HIDANE
  - install Java ${LEAST_JAVA} or newer: the official emulator is used then
  - install Rust 1.88 or newer (https://rustup.rs) and run this again: it builds hidane once, about 3 minutes`;

/** @param {Machine} machine */
export function hidaneFolder(machine) {
  return join(cacheFolder(machine), `hidane-${HIDANE_VERSION}`);
}

/** Where the cache has it, if it does. @param {Machine} machine */
export function hidaneProgram(machine) {
  return join(hidaneFolder(machine), 'bin', programName(machine, 'hidane'));
}

/**
 * hidane where it is already, in this order: the variable HIDANE, PATH, the project's cache, the npm package.
 *
 * @param {Machine} machine @param {string} root
 * @returns {Hidane | Missing}
 */
export function chooseHidane(machine, root) {
  const named = machine.environment.HIDANE;
  if (named) {
    if (machine.isExecutable(named)) return { kind: 'hidane', program: named };
    return { kind: 'missing', why: `HIDANE names ${named}, which is not a program.` };
  }
  const npmPackage = join(root, 'node_modules', '.bin', 'hidane');
  const others = onPath(machine, 'hidane').filter((path) => path !== npmPackage);
  const program = [...others, hidaneProgram(machine), npmPackage].find(machine.isExecutable);
  return program ? { kind: 'hidane', program } : { kind: 'missing', why: 'hidane is not installed.' };
}

/**
 * Returns the official emulator if firebase-tools has downloaded it and a Java that runs it is on PATH.
 *
 * @param {Machine} machine @param {string} root
 * @returns {Official | Missing}
 */
export function chooseOfficial(machine, root) {
  if (!hasRecentJava(machine)) return { kind: 'missing', why: `There is no Java ${LEAST_JAVA} or newer.` };
  const folder =
    machine.environment.FIREBASE_EMULATORS_PATH || join(machine.home, '.cache', 'firebase', 'emulators');
  const known = join(
    root,
    'node_modules',
    'firebase-tools',
    'lib',
    'emulator',
    'downloadableEmulatorInfo.json',
  );
  const jar = JSON.parse(machine.read(known) ?? '{}').firestore?.downloadPathRelativeToCacheDir;
  if (machine.list(folder).includes(jar)) return { kind: 'official' };
  return { kind: 'missing', why: 'The official emulator is not downloaded.' };
}

/** @param {Machine} machine */
export function hasRecentJava(machine) {
  const [java] = onPath(machine, 'java');
  return java !== undefined && majorOf(machine.output(java, ['-version'])) >= LEAST_JAVA;
}

/** @param {string | undefined} said */
function majorOf(said) {
  return Number(/version "(\d+)/.exec(said ?? '')?.[1] ?? 0);
}

/**
 * What serves Firestore here.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @throws {Error} naming the ways to get one when there is none.
 */
export function findFirestore(environment) {
  const machine = thisMachine(environment);
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const hidane = chooseHidane(machine, root);
  if (hidane.kind === 'hidane') return hidane;
  const official = environment.HIDANE ? undefined : chooseOfficial(machine, root);
  if (official?.kind === 'official') return official;
  throw new Error(`${hidane.why}\n${WAYS_TO_FIRESTORE}`);
}
