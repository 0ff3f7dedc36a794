import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Fills a new folder and renames it to `place` in one step: a set-up that runs at the same time, or one that is killed,
 * never leaves half of it there.
 *
 * @param {string} place a folder of the cache
 * @param {(folder: string) => Promise<void>} fill throws if it fails
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
