import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { chooseHidane } from '../find-firestore.mjs';
import { type Files, setting, sha256 } from './test-setting.ts';

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

  test('is not asked for where a cargo is', async () => {
    const own = join(temporaryFolder(), 'cargo.cjs');
    writeFileSync(own, CARGO);
    const cargo = `exec '${process.execPath}' '${own}' "$@"`;
    const at = await setting({ ...alpine, files: files(), programs: { cc: 'exit 0', cargo } });
    await at.bring();
    expect(chooseHidane(at.machine, at.root).kind).toBe('hidane');
    expect(at.internet.asked.filter((path) => path.includes('rustup'))).toEqual([]);
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
