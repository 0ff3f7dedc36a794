import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { download } from '../fetch/download.mjs';
import { shown } from '../fetch/network.mjs';
import { cacheFolder } from '../machine.mjs';
import { say } from '../run.mjs';

/** @typedef {import('../machine.mjs').Machine} Machine */

/** Where what is downloaded lies until it is unpacked, or goes on at the next start. @param {Machine} machine */
export function downloadsFolder(machine) {
  return join(cacheFolder(machine), 'downloads');
}

/**
 * Downloads a file into the cache, and says what, from where, how large, and how far it is.
 *
 * @param {import('../fetch/download.mjs').Piece} piece
 * @param {import('./ways.mjs').Surroundings} surroundings
 * @param {{ megabytes?: number }} [options] where `largest` is not the size
 * @returns {Promise<string>} the path of the file
 */
export function downloadInto(
  piece,
  { machine, network, pause },
  { megabytes = inMegabytes(piece.largest) } = {},
) {
  say(`downloading ${piece.name} (${megabytes} MB) from ${shown(piece.url)} …`);
  const tell = (/** @type {number} */ bytes) => say(`… ${inMegabytes(bytes)} of ${megabytes} MB`);
  return download(piece, { network: network(), folder: downloadsFolder(machine), pause, tell });
}

/** @param {number} bytes */
export function inMegabytes(bytes) {
  return Math.max(1, Math.round(bytes / 1_000_000));
}

/**
 * Fills a new folder and puts it in its place in one step, so that nobody sees half of it.
 *
 * @param {string} place a folder of the cache
 * @param {(folder: string) => Promise<void>} fill throws where it cannot
 */
export async function putInPlace(place, fill) {
  mkdirSync(dirname(place), { recursive: true });
  const folder = mkdtempSync(`${place}.`);
  try {
    await fill(folder);
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Throws away what set-ups left that were killed: folders that never came to their place. Once something serves
 * Firestore (`isDone`), also what another way had begun: downloads, a Rust, half a build. Only whoever holds the lock
 * may.
 *
 * @param {Machine} machine @param {{ isDone: boolean }} options
 */
export function sweep(machine, { isDone }) {
  const cache = cacheFolder(machine);
  const isHalf = (/** @type {string} */ name) => /^(?:hidane|java)-[\w.-]*\.\w{6}$/.test(name);
  const isBegun = (/** @type {string} */ name) => /^(?:downloads$|rust-|build-hidane-)/.test(name);
  for (const name of machine.list(cache)) {
    if (isHalf(name) || (isDone && isBegun(name)))
      rmSync(join(cache, name), { recursive: true, force: true });
  }
}
