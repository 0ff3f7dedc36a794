import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  findStripeMock,
  STRIPE_MOCK_VERSION,
  stripeMockFolder,
  WAYS_TO_STRIPE_MOCK,
} from './find-stripe-mock.mjs';
import { cacheFolder, onPath } from './machine.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

const MODULE = 'github.com/stripe/stripe-mock';
/** Without a network, Go would try for long. */
const WITHIN_MS = 180_000;

/**
 * Makes sure that there is a stripe-mock: one on the machine, else built by Go into the project's cache.
 *
 * @param {Machine} machine
 * @throws {Error} naming the ways to get one when none could be had.
 */
export async function bringStripeMock(machine) {
  if (findStripeMock(machine)) return;
  if (machine.environment.STRIPE_MOCK) {
    throw new Error(`STRIPE_MOCK names ${machine.environment.STRIPE_MOCK}, which is not a program.`);
  }
  const [go] = onPath(machine, 'go');
  if (go === undefined) throw new Error(`There is no Go here.\n${WAYS_TO_STRIPE_MOCK}`);
  say(`building stripe-mock ${STRIPE_MOCK_VERSION} with Go (about half a minute, once for all clones) …`);
  mkdirSync(cacheFolder(machine), { recursive: true });
  const place = stripeMockFolder(machine);
  const folder = mkdtempSync(`${place}.`);
  try {
    const built = await run(go, ['install', `${MODULE}@v${STRIPE_MOCK_VERSION}`], {
      cwd: folder,
      env: { GOBIN: folder, GOFLAGS: '' },
      quiet: true,
      withinMs: WITHIN_MS,
    });
    if (!built || !machine.isExecutable(join(folder, 'stripe-mock'))) {
      throw new Error(`Go could not build stripe-mock.\n${WAYS_TO_STRIPE_MOCK}`);
    }
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
