import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { withLock } from './lock.mjs';

const MODULE = fileURLToPath(new URL('./lock.mjs', import.meta.url));

/** Adds to a number in a file, slowly and without care, under the lock. */
const COUNT = `
  const { withLock } = await import(process.argv[1]);
  const { readFileSync, writeFileSync } = await import('node:fs');
  const [, , lock, file] = process.argv;
  for (let turn = 0; turn < 5; turn++) {
    await withLock(lock, async () => {
      const before = Number(readFileSync(file, 'utf8'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      writeFileSync(file, String(before + 1));
    }, { everyMs: 3 });
  }`;

test('processes that know nothing of each other take turns', async () => {
  const folder = temporaryFolder();
  const [lock, file] = [join(folder, 'new', 'lock'), join(folder, 'count')];
  writeFileSync(file, '0');
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', COUNT, MODULE, lock, file], { stdio: 'inherit' }),
  );
  const statuses = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect([statuses, readFileSync(file, 'utf8')]).toEqual([[0, 0, 0], '15']);
  expect(existsSync(lock)).toBe(false);
});

test('who waits is told for whom, once; the lock goes also when the work fails', async () => {
  const lock = join(temporaryFolder(), 'lock');
  const told: string[] = [];
  const first = withLock(lock, async () => {
    await wait(30);
    throw new Error('no luck');
  });
  const second = withLock(lock, async () => 'mine', { onWait: (pid) => told.push(pid), everyMs: 3 });
  await expect(first).rejects.toThrow('no luck');
  expect([await second, told]).toEqual(['mine', [String(process.pid)]]);
});

test('the lock of a killed process is taken over', async () => {
  const lock = join(temporaryFolder(), 'lock');
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  writeFileSync(lock, `${child.pid} ${hostname()} x`);
  // Long before it would be too old.
  expect(await withLock(lock, async () => 'mine', { goneAfterMs: 600_000 })).toBe('mine');
});

test('a lock of another machine is respected as long as it is touched', async () => {
  const lock = join(temporaryFolder(), 'lock');
  writeFileSync(lock, '1 another-machine x');
  let isMine = false;
  const take = async () => {
    isMine = true;
  };
  const taken = withLock(lock, take, { everyMs: 3, goneAfterMs: 10_000 });
  await wait(30);
  expect(isMine).toBe(false);
  utimesSync(lock, new Date(), new Date(Date.now() - 11_000));
  await taken;
  expect(isMine).toBe(true);
});
