import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { bringFirestore, waysToFirestore } from './bring-firestore.mjs';
import { fakeMachine, prints } from './fake-machine.ts';
import { hidaneProgram } from './find-firestore.mjs';
import { thisMachine } from './machine.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const agrees = async () => true;

/** A mirror of hidane's releases with a program that only tells its version, packed as the project packs it. */
async function mirror(version: string, checksum?: string): Promise<string> {
  const folder = temporaryFolder();
  const stem = `hidane-0.6.0-${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch as 'x64']}-unknown-linux-musl`;
  mkdirSync(join(folder, stem));
  writeFileSync(join(folder, stem, 'hidane'), `#!/bin/sh\necho hidane ${version}\n`);
  chmodSync(join(folder, stem, 'hidane'), 0o755);
  execFileSync('tar', ['-czf', join(folder, 'archive'), '-C', folder, stem]);
  const archive = execFileSync('cat', [join(folder, 'archive')]);
  const sum = checksum ?? createHash('sha256').update(archive).digest('hex');
  const files: Readonly<Record<string, string | Buffer>> = {
    '/v0.6.0/sha256sums.txt': `${sum}  ${stem}.tar.gz\n`,
    [`/v0.6.0/${stem}.tar.gz`]: archive,
  };
  const server: Server = createServer(({ url = '' }, response) => {
    const found = files[url];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** This machine with an empty cache and nothing on PATH but what unpacks an archive. */
async function machineWith(releases: string) {
  const PATH = '/usr/bin:/bin';
  return thisMachine({ HOME: temporaryFolder(), PATH, HIDANE_RELEASES_URL: releases });
}

test('the release is downloaded, checked, unpacked into the cache and run', async () => {
  const machine = await machineWith(await mirror('0.6.0'));
  const [release] = waysToFirestore(machine, ROOT);
  await bringFirestore(machine, ROOT, { ways: [release].flatMap((way) => way ?? []), agrees });
  expect(machine.output(hidaneProgram(machine), ['--version'])).toBe('hidane 0.6.0\n');
});

test.each([
  ['is another version', '0.5.9', undefined, 'it is hidane 0.5.9, not 0.6.0'],
  ['has another checksum', '0.6.0', '0'.repeat(64), 'it could not be downloaded or unpacked'],
])('a release that %s leaves nothing in the cache', async (_, version, sum, why) => {
  const machine = await machineWith(await mirror(version, sum));
  const ways = waysToFirestore(machine, ROOT).slice(0, 1);
  await expect(bringFirestore(machine, ROOT, { ways, agrees })).rejects.toThrow(why);
  expect(readdirSync(join(machine.home, '.cache', 'extension-billing'))).toEqual([]);
});

test('a way that fails is followed by the next', async () => {
  const tried: string[] = [];
  const failing = { what: 'the first way', bring: () => Promise.reject(new Error('offline')) };
  const working = { what: 'the second way', bring: async () => void tried.push('second') };
  await bringFirestore(fakeMachine({}), ROOT, { ways: [failing, working], agrees });
  expect(tried).toEqual(['second']);
});

test('the quickest way comes first, and only what the machine can do is offered', () => {
  const cargo = { '/usr/bin/cargo': prints('cargo 1.95.0') };
  const java = { '/usr/bin/java': prints('openjdk version "21.0.2"') };
  const ways = (programs: object, platform = 'linux') =>
    waysToFirestore(fakeMachine({ programs: { ...programs }, platform }), ROOT).map(
      ({ what }) => /hidane 0\.6\.0 from|with cargo|official/.exec(what)?.[0],
    );
  expect(ways({ ...cargo, ...java })).toEqual(['hidane 0.6.0 from', 'with cargo', 'official']);
  expect(ways({})).toEqual(['hidane 0.6.0 from']);
  expect(ways(java, 'freebsd')).toEqual(['official']);
});

test('nothing is installed for a user who says no, or over a HIDANE that is not there', async () => {
  const way = { what: 'a way', bring: () => Promise.reject(new Error('tried')) };
  const no = bringFirestore(fakeMachine({}), ROOT, { ways: [way], agrees: async () => false });
  await expect(no).rejects.toThrow('Nothing was installed');
  const typo = fakeMachine({ environment: { HIDANE: '/typo' } });
  await expect(bringFirestore(typo, ROOT, { ways: [way], agrees })).rejects.toThrow('HIDANE names /typo');
});
