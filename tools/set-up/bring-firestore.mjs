import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './ask.mjs';
import { findCargo, LEAST_RUST_TEXT } from './find-cargo.mjs';
import {
  chooseHidane,
  chooseOfficial,
  HIDANE_VERSION,
  hasRecentJava,
  hidaneFolder,
  WAYS_TO_FIRESTORE,
} from './find-firestore.mjs';
import { cacheFolder, programName } from './machine.mjs';
import { putInPlace } from './put-in-place.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/**
 * @typedef {object} Way one way to get what serves Firestore
 * @property {string} what as the user reads it, with what it takes
 * @property {() => Promise<void>} bring throws if it doesn't work
 */

/** hidane's releases, unless HIDANE_RELEASES_URL names a mirror. */
const RELEASES = 'https://github.com/hidane-dev/hidane/releases/download';

/** Its release targets. Its Linux builds need no libc; Windows on arm64 runs the x64 build. */
/** @type {Readonly<Record<string, string>>} */
const TARGETS = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'x86_64-pc-windows-msvc',
};

/**
 * Makes sure that something serves Firestore: what is there, or the first way that works. Asks once before it downloads
 * anything.
 *
 * @param {Machine} machine @param {string} root
 * @param {{ ways?: readonly Way[], agrees?: (question: string) => Promise<boolean> }} [options] replaced by tests
 * @throws {Error} naming what was tried, why it failed, and how to get one by hand.
 */
export async function bringFirestore(
  machine,
  root,
  { ways = waysToFirestore(machine, root), agrees = (text) => ask(text, machine) } = {},
) {
  const hidane = chooseHidane(machine, root);
  if (hidane.kind === 'hidane') return;
  if (machine.environment.HIDANE) throw new Error(`${hidane.why}\n${WAYS_TO_FIRESTORE}`);
  if (chooseOfficial(machine, root).kind === 'official') return;
  const listed = ways.map(({ what }, index) => `  ${index + 1}. ${what}`).join('\n');
  const question = `Nothing serves Firestore yet. Set-up installs the first of these that works into ${cacheFolder(machine)}:\n${listed}`;
  if (ways.length === 0 || !(await agrees(question)))
    throw new Error(`Nothing was installed.\n${WAYS_TO_FIRESTORE}`);
  const failures = [];
  for (const { what, bring } of ways) {
    try {
      say(`${what} …`);
      return await bring();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      failures.push(`  - ${what}: ${why}`);
      say(`that didn't work: ${why}`);
    }
  }
  throw new Error(`Nothing serves Firestore:\n${failures.join('\n')}\n${WAYS_TO_FIRESTORE}`);
}

/** @param {Machine} machine @param {string} root @returns {readonly Way[]} the quickest first */
export function waysToFirestore(machine, root) {
  const target = TARGETS[`${machine.platform}-${machine.arch}`];
  const cargo = findCargo(machine);
  return [
    target === undefined ? [] : [released(machine, root, target)],
    cargo === undefined ? [] : [built(machine, cargo)],
    hasRecentJava(machine) ? [official(root)] : [],
  ].flat();
}

/** @param {Machine} machine @param {string} root @param {string} target @returns {Way} */
function released(machine, root, target) {
  const release = `${machine.environment.HIDANE_RELEASES_URL || RELEASES}/v${HIDANE_VERSION}`;
  const stem = `hidane-${HIDANE_VERSION}-${target}`;
  const archive = `${stem}${machine.platform === 'win32' ? '.zip' : '.tar.gz'}`;
  return {
    what: `downloading hidane ${HIDANE_VERSION} from ${release} (6 MB)`,
    bring: () =>
      putInPlace(hidaneFolder(machine), async (folder) => {
        const script = join(root, 'tools', 'set-up', 'download.mjs');
        const args = [script, release, archive, folder];
        // Node 24 reads the proxy's variables itself; npm hands its own settings to scripts as npm_config_….
        const { environment } = machine;
        const env = {
          HTTPS_PROXY: environment.HTTPS_PROXY || environment.npm_config_https_proxy,
          NO_PROXY: environment.NO_PROXY || environment.npm_config_noproxy,
          NODE_EXTRA_CA_CERTS: environment.NODE_EXTRA_CA_CERTS || environment.npm_config_cafile,
        };
        const node = join(root, 'node_modules', '.bin', 'node');
        const downloaded = await run(node, ['--use-env-proxy', ...args], { env, withinMs: 120_000 });
        // Windows, too, has a tar, and it reads zip files.
        const unpacked =
          downloaded &&
          (await run('tar', ['-xf', join(folder, archive), '-C', folder, '--strip-components=1']));
        if (!unpacked) throw new Error('it could not be downloaded or unpacked');
        const name = programName(machine, 'hidane');
        // Where cargo puts it, too.
        mkdirSync(join(folder, 'bin'));
        renameSync(join(folder, name), join(folder, 'bin', name));
        chmodSync(join(folder, 'bin', name), 0o755);
        rmSync(join(folder, archive));
        requireRunning(machine, folder);
      }),
  };
}

/** @param {Machine} machine @param {import('./find-cargo.mjs').Cargo} cargo @returns {Way} */
function built(machine, cargo) {
  // Outside the folder that is renamed, and kept if interrupted: the next try continues there.
  const target = join(cacheFolder(machine), `build-hidane-${HIDANE_VERSION}`);
  return {
    what: `building hidane ${HIDANE_VERSION} with cargo ${cargo.version} (3 to 5 minutes, once for all clones)`,
    async bring() {
      await putInPlace(hidaneFolder(machine), async (folder) => {
        const args = ['install', 'hidane', '--version', HIDANE_VERSION, '--locked', '--root', folder];
        const env = { ...machine.environment, ...cargo.env, CARGO_TARGET_DIR: target };
        if (!(await run(cargo.program, [...args, '--quiet'], { env })))
          throw new Error(
            `cargo failed; what it printed says why (it needs Rust ${LEAST_RUST_TEXT} and a C compiler)`,
          );
        requireRunning(machine, folder);
      });
      rmSync(target, { recursive: true, force: true });
    },
  };
}

/** @param {string} root @returns {Way} */
function official(root) {
  return {
    what: 'downloading the official Firestore emulator with firebase-tools (140 MB), for the Java on PATH',
    async bring() {
      const firebase = join(root, 'node_modules', '.bin', 'firebase');
      if (!(await run(firebase, ['setup:emulators:firestore'], { quiet: 'but errors' })))
        throw new Error('firebase-tools could not download it');
    },
  };
}

/** @param {Machine} machine @param {string} folder @throws {Error} if the hidane in it doesn't run, or is another version */
function requireRunning(machine, folder) {
  const program = join(folder, 'bin', programName(machine, 'hidane'));
  const said = existsSync(program) ? machine.output(program, ['--version']) : undefined;
  if (said === undefined) throw new Error(`it doesn't run on ${machine.platform} ${machine.arch}`);
  if (!said.includes(HIDANE_VERSION)) throw new Error(`it is ${said.trim()}, not ${HIDANE_VERSION}`);
}
