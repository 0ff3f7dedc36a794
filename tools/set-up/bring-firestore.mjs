import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findCargo } from './find-cargo.mjs';
import {
  chooseHidane,
  chooseOfficial,
  HIDANE_VERSION,
  hidaneFolder,
  WAYS_TO_FIRESTORE,
} from './find-firestore.mjs';
import { cacheFolder } from './machine.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * Makes sure that something serves Firestore: hidane where it is, else from npm, else built by cargo into
 * the project's cache; else the official emulator.
 *
 * @param {Machine} machine @param {string} root
 * @throws {Error} naming the ways to get one when none could be had.
 */
export async function bringFirestore(machine, root) {
  const there = chooseHidane(machine, root);
  if (there.kind === 'hidane') return;
  if (machine.environment.HIDANE) throw new Error(`${there.why}\n${WAYS_TO_FIRESTORE}`);
  if (await installFromNpm(machine)) return;
  const tried = await buildWithCargo(machine);
  if (tried === 'built') return;
  if (chooseOfficial(machine).kind === 'official') {
    say(
      'hidane cannot be had; the official Firestore emulator is used (firebase-tools downloads it, 130 MB)',
    );
    return;
  }
  throw new Error(`${tried}\n${WAYS_TO_FIRESTORE}`);
}

/** @param {Machine} machine */
async function installFromNpm(machine) {
  const spec = `hidane@${HIDANE_VERSION}`;
  const patience = ['--fetch-retries=0', '--fetch-timeout=10000'];
  if (!(await run('npm', ['view', spec, 'version', ...patience], { quiet: true, withinMs: 20_000 })))
    return false;
  say(`installing ${spec} from npm …`);
  return intoCache(machine, async (folder) => {
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', spec];
    if (!(await run('npm', args))) return false;
    mkdirSync(join(folder, 'bin'));
    symlinkSync('../node_modules/.bin/hidane', join(folder, 'bin', 'hidane'));
    return true;
  });
}

/** @param {Machine} machine @returns {Promise<'built' | string>} */
async function buildWithCargo(machine) {
  const cargo = findCargo(machine);
  if (cargo === undefined)
    return 'hidane is not installed, and there is no cargo (Rust 1.88 or newer) to build it.';
  say(
    `building hidane ${HIDANE_VERSION} with cargo ${cargo.version} (3 to 5 minutes, once for all clones) …`,
  );
  // Outside the folder that is renamed, and kept when interrupted: the next try goes on from there.
  const target = join(cacheFolder(machine), `build-hidane-${HIDANE_VERSION}`);
  const built = await intoCache(machine, (folder) =>
    run(
      cargo.program,
      ['install', 'hidane', '--version', HIDANE_VERSION, '--locked', '--root', folder, '--quiet'],
      { env: { ...cargo.env, CARGO_TARGET_DIR: target } },
    ),
  );
  if (!built) return 'cargo could not build hidane; what it printed says why.';
  rmSync(target, { recursive: true, force: true });
  return 'built';
}

/**
 * Fills a new folder and puts it in its place in one step, so that nobody sees half of it.
 *
 * @param {Machine} machine @param {(folder: string) => Promise<boolean>} fill
 */
async function intoCache(machine, fill) {
  const place = hidaneFolder(machine);
  mkdirSync(cacheFolder(machine), { recursive: true });
  const folder = mkdtempSync(`${place}.`);
  try {
    if (!(await fill(folder))) return false;
    if (!machine.isExecutable(join(folder, 'bin', 'hidane'))) return false;
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
