// hidane built from its source: with the machine's cargo, or with one that Rust's own installer puts into the cache.
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { shown } from '../fetch/network.mjs';
import { readText } from '../fetch/request.mjs';
import { findCargo, LEAST_RUST_TEXT } from '../find-cargo.mjs';
import { HIDANE_VERSION, hidaneFolder } from '../find-firestore.mjs';
import { cacheFolder, onPath, programName } from '../machine.mjs';
import { run, say } from '../run.mjs';
import { requireRunning } from './hidane.mjs';
import { downloadInto, putInPlace } from './place.mjs';
import { namesOn, platformName } from './platforms.mjs';

/** @typedef {import('../machine.mjs').Machine} Machine */
/** @typedef {import('../find-cargo.mjs').Cargo} Cargo */
/** @typedef {import('./ways.mjs').Surroundings} Surroundings */
/** @typedef {import('./ways.mjs').Way} Way */

/** hidane is known to build with it. */
const RUST_VERSION = '1.95.0';
const RUSTUP_VERSION = '1.28.2';
/**
 * SHA-256 of that installer by host; for others, the one that lies beside it.
 *
 * @type {Readonly<Record<string, string>>}
 */
const INSTALLERS = {
  'x86_64-unknown-linux-gnu': '20a06e644b0d9bd2fbdbfd52d42540bdde820ea7df86e92e533c073da0cdd43c',
  'aarch64-unknown-linux-gnu': 'e3853c5a252fca15252d07cb23a1bdd9377a8c6f3efa01531109281ae47f841c',
  'x86_64-unknown-linux-musl': 'e6599a1c7be58a2d8eaca66a80e0dc006d87bbcf780a58b7343d6e14c1605cb2',
  'x86_64-apple-darwin': '9c331076f62b4d0edeae63d9d1c9442d5fe39b37b05025ec8d41c5ed35486496',
  'aarch64-apple-darwin': '20ef5516c31b1ac2290084199ba77dbbcaa1406c45c1d978ca68558ef5964ef5',
};
const MEGABYTES_OF_INSTALLER = 20;
const MEGABYTES_OF_RUST = 120;
const MEGABYTES_OF_CRATES = 10;
const LARGEST_INSTALLER = 60_000_000;
const BUILD = '3 to 5 minutes to build it';
const CRATES = { what: 'what it is built from', from: 'crates.io', megabytes: MEGABYTES_OF_CRATES };

/** @param {Surroundings} surroundings @returns {Way | string} */
export function withCargoOfMachine({ machine, network }) {
  const cargo = findCargo(machine);
  if (cargo === undefined) return `no cargo (Rust ${LEAST_RUST_TEXT} or newer) is installed`;
  return {
    name: `hidane ${HIDANE_VERSION}, built by the cargo ${cargo.version} that is here`,
    time: BUILD,
    downloads: [CRATES],
    bring: () => build(machine, cargo, network().variables),
  };
}

/** @param {Surroundings} surroundings @returns {Way | string} */
export function withRustup(surroundings) {
  const { machine, places, network } = surroundings;
  const { rust: host } = namesOn(machine);
  if (host === undefined) return `Rust’s installer does not know ${platformName(machine)}`;
  if (!hasLinker(machine))
    return `Rust’s installer needs ${LINKERS[machine.platform] ?? 'a C compiler (cc)'}`;
  const from = shown(places.rustup);
  const dist = shown(machine.environment.RUSTUP_DIST_SERVER || 'https://static.rust-lang.org');
  return {
    name: `hidane ${HIDANE_VERSION}, built by a Rust ${RUST_VERSION} that is removed afterwards`,
    time: BUILD,
    downloads: [
      { what: `rustup ${RUSTUP_VERSION}`, from, megabytes: MEGABYTES_OF_INSTALLER },
      { what: `Rust ${RUST_VERSION}`, from: dist, megabytes: MEGABYTES_OF_RUST },
      CRATES,
    ],
    async bring() {
      const folder = join(cacheFolder(machine), `rust-${RUST_VERSION}`);
      const homes = { CARGO_HOME: join(folder, 'cargo'), RUSTUP_HOME: join(folder, 'rustup') };
      const bin = join(homes.CARGO_HOME, 'bin');
      const PATH = `${bin}${delimiter}${machine.environment.PATH ?? ''}`;
      const env = { ...homes, PATH };
      const program = join(bin, programName(machine, 'cargo'));
      const answers = () => machine.output(program, ['--version'], env) !== undefined;
      // What an ended set-up left is used, if it is whole.
      if (!existsSync(program) || !answers()) {
        const name = programName(machine, 'rustup-init');
        const url = `${places.rustup}/archive/${RUSTUP_VERSION}/${host}/${name}`;
        const sha256 = INSTALLERS[host] ?? (await publishedChecksum(url, network()));
        const piece = { url, name, sha256, largest: LARGEST_INSTALLER };
        const size = { megabytes: MEGABYTES_OF_INSTALLER };
        const installer = await downloadInto(piece, surroundings, size);
        chmodSync(installer, 0o755);
        say(`installing Rust ${RUST_VERSION} (${MEGABYTES_OF_RUST} MB) from ${dist}, into ${folder} …`);
        mkdirSync(folder, { recursive: true });
        const how = ['-y', '--no-modify-path', '--profile', 'minimal', '--default-toolchain', RUST_VERSION];
        const unasked = { RUSTUP_INIT_SKIP_PATH_CHECK: 'yes' };
        const settings = { ...machine.environment, ...network().variables, ...env, ...unasked };
        // What it prints at the end is for somebody who wants to keep it.
        const done = await run(installer, [...how, '--quiet'], { env: settings, quiet: 'but errors' });
        if (!done || !answers()) throw new Error('Rust could not be installed; what rustup printed says why');
      }
      await build(machine, { program, env, version: RUST_VERSION }, network().variables);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @param {Machine} machine @param {Cargo} cargo @param {Readonly<Record<string, string>>} variables of the network
 */
async function build(machine, cargo, variables) {
  say(
    `building hidane ${HIDANE_VERSION} with cargo ${cargo.version} (3 to 5 minutes, once for all clones) …`,
  );
  // Outside the folder that is renamed, and kept when interrupted: the next try goes on from there.
  const target = join(cacheFolder(machine), `build-hidane-${HIDANE_VERSION}`);
  await putInPlace(hidaneFolder(machine), async (folder) => {
    const args = ['install', 'hidane', '--version', HIDANE_VERSION, '--locked', '--root', folder, '--quiet'];
    const env = { ...machine.environment, ...variables, ...cargo.env, CARGO_TARGET_DIR: target };
    if (!(await run(cargo.program, args, { env }))) {
      throw new Error('cargo could not build hidane; what it printed says why');
    }
    requireRunning(machine, join(folder, 'bin', programName(machine, 'hidane')));
  });
  rmSync(target, { recursive: true, force: true });
}

/** @type {Readonly<Record<string, string>>} */
const LINKERS = {
  win32: 'Microsoft’s C++ build tools',
  darwin: 'Apple’s command line tools (xcode-select --install)',
};

/** Rust links by the machine's C compiler. @param {Machine} machine */
function hasLinker(machine) {
  if (machine.platform === 'win32') {
    const folder = machine.environment['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)';
    const finder = join(folder, 'Microsoft Visual Studio', 'Installer', 'vswhere.exe');
    const tools = 'Microsoft.VisualStudio.Component.VC.Tools.x86.x64';
    const said = machine.output(finder, [
      '-products',
      '*',
      '-requires',
      tools,
      '-property',
      'installationPath',
    ]);
    return said !== undefined && said.trim() !== '';
  }
  const [compiler] = onPath(machine, 'cc');
  // Apple has a `cc` that does nothing but to offer the real one.
  return compiler !== undefined && machine.output(compiler, ['--version']) !== undefined;
}

/** @param {string} url @param {import('../fetch/network.mjs').Network} network */
async function publishedChecksum(url, network) {
  const { text } = await readText(`${url}.sha256`, { network });
  const sum = /^[0-9a-f]{64}\b/i.exec(text)?.[0];
  if (sum === undefined) throw new Error(`${shown(url)}.sha256 has no checksum`);
  return sum.toLowerCase();
}
