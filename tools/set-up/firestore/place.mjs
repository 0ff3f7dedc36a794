import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../machine.mjs';

/** @typedef {import('../machine.mjs').Machine} Machine */

/** Where what is downloaded lies until it is unpacked, or goes on at the next start. @param {Machine} machine */
export function downloadsFolder(machine) {
  return join(cacheFolder(machine), 'downloads');
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
 * Throws away what set-ups left that were killed: folders that never came to their place, and with `downloads` also the
 * beginnings of files. Only whoever holds the lock may.
 *
 * @param {Machine} machine @param {{ downloads: boolean }} options
 */
export function sweep(machine, { downloads }) {
  const cache = cacheFolder(machine);
  for (const name of machine.list(cache)) {
    const isHalf = /^(?:hidane|java)-[\w.-]*\.\w{6}$/.test(name);
    if (isHalf) rmSync(join(cache, name), { recursive: true, force: true });
  }
  if (downloads) rmSync(downloadsFolder(machine), { recursive: true, force: true });
}
