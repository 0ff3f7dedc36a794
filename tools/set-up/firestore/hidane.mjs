// hidane's own program: as its project released it, or as npm has it.
import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shown } from '../fetch/network.mjs';
import { readText } from '../fetch/request.mjs';
import { unpack } from '../fetch/unpack.mjs';
import { HIDANE_VERSION, hidaneFolder } from '../find-firestore.mjs';
import { programName } from '../machine.mjs';
import { npm, run, say } from '../run.mjs';
import { downloadInto, putInPlace } from './place.mjs';
import { namesOn, platformName } from './platforms.mjs';

/** @typedef {import('./ways.mjs').Surroundings} Surroundings */
/** @typedef {import('./ways.mjs').Way} Way */

/** An archive is about 6 MB; what is much larger is something else. */
const MEGABYTES = 6;
const LARGEST = 60_000_000;
/** Without a registry, npm would try for minutes. */
const PATIENCE = ['--fetch-retries=0', '--fetch-timeout=10000'];

/**
 * The release's archive, checked by the list of checksums beside it.
 *
 * @param {Surroundings} surroundings
 * @returns {Way | string}
 */
export function asReleased(surroundings) {
  const { machine, places, network } = surroundings;
  const { hidane: target } = namesOn(machine);
  if (target === undefined) return `hidane has no release for ${platformName(machine)}`;
  const release = `${places.hidane}/v${HIDANE_VERSION}`;
  const stem = `hidane-${HIDANE_VERSION}-${target}`;
  const name = `${stem}${machine.platform === 'win32' ? '.zip' : '.tar.gz'}`;
  return {
    name: `hidane ${HIDANE_VERSION}, as its project released it`,
    time: 'a few seconds',
    downloads: [{ what: name, from: shown(release), megabytes: MEGABYTES }],
    async bring() {
      const { text } = await readText(`${release}/sha256sums.txt`, { network: network() });
      const sha256 = checksumOf(text, name);
      const piece = { url: `${release}/${name}`, name, sha256, largest: LARGEST };
      const archive = await downloadInto(piece, surroundings, { megabytes: MEGABYTES });
      await putInPlace(hidaneFolder(machine), async (folder) => {
        unpack(archive, folder);
        const program = join(folder, 'bin', programName(machine, 'hidane'));
        mkdirSync(dirname(program));
        copyFileSync(join(folder, stem, programName(machine, 'hidane')), program);
        chmodSync(program, 0o755);
        requireRunning(machine, program);
      });
    },
  };
}

/**
 * The checksum of a file in a list such as sha256sum writes.
 *
 * @param {string} list @param {string} name
 * @throws {Error} where the list does not have it.
 */
export function checksumOf(list, name) {
  for (const line of list.split('\n')) {
    const [, sum, file] = /^([0-9a-f]{64})\s+\*?(\S+)\s*$/i.exec(line) ?? [];
    if (sum !== undefined && file === name) return sum.toLowerCase();
  }
  throw new Error(`the release’s sha256sums.txt does not have ${name}`);
}

/** @param {Surroundings} surroundings @returns {Way | string} */
export function fromNpm({ machine }) {
  const spec = `hidane@${HIDANE_VERSION}`;
  const env = { ...machine.environment };
  return {
    name: `hidane ${HIDANE_VERSION}, from npm`,
    time: 'a few seconds',
    downloads: [{ what: spec, from: 'npm’s registry', megabytes: MEGABYTES }],
    async bring() {
      const asked = { env, quiet: true, withinMs: 20_000 };
      const { program, first } = npm(machine.environment);
      if (!(await run(program, [...first, 'view', spec, 'version', ...PATIENCE], asked))) {
        throw new Error(`npm’s registry does not have ${spec}, or cannot be reached`);
      }
      say(`installing ${spec} from npm (about ${MEGABYTES} MB) …`);
      await putInPlace(hidaneFolder(machine), async (folder) => {
        const more = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', spec];
        if (!(await run(program, [...first, 'install', '--prefix', folder, ...more], { env }))) {
          throw new Error(`npm could not install ${spec}; what it printed says why`);
        }
        const hidane = join(folder, 'bin', programName(machine, 'hidane'));
        mkdirSync(dirname(hidane));
        const own = binaryIn(machine, join(folder, 'node_modules'));
        if (own === undefined) symlinkSync('../node_modules/.bin/hidane', hidane);
        else copyFileSync(own, hidane);
        requireRunning(machine, hidane);
      });
    },
  };
}

/**
 * The program itself, which a package of hidane's scope has for this platform.
 *
 * @param {import('../machine.mjs').Machine} machine @param {string} modules
 */
function binaryIn(machine, modules) {
  const scopes = machine.list(modules).filter((name) => name.startsWith('@hidane'));
  const platform = `${machine.platform}-${machine.arch}`;
  return scopes
    .map((scope) => join(modules, scope, platform, 'bin', programName(machine, 'hidane')))
    .find((path) => existsSync(path));
}

/**
 * @param {import('../machine.mjs').Machine} machine @param {string} program
 * @throws {Error} where it does not start on this machine, or is another version.
 */
export function requireRunning(machine, program) {
  const said = machine.output(program, ['--version']);
  if (said === undefined) throw new Error(`it does not run on ${platformName(machine)}`);
  if (!said.includes(HIDANE_VERSION))
    throw new Error(`it calls itself ${said.trim()}, not ${HIDANE_VERSION}`);
}
