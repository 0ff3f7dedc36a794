import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { runCommand } from './run-command.ts';

const node = process.execPath;
const run = (...words: string[]): Promise<number> => runCommand(words, process.env, () => {});

it('gives the status of the command', async () => {
  expect(await run(node, '--eval', 'process.exit(7)')).toBe(7);
});

it('gives 127 for a command that does not exist, as a shell does, and says so', async () => {
  const log = join(temporaryFolder(), 'log');
  const output = openSync(log, 'w');
  expect(await runCommand(['no-such-command-here'], process.env, () => {}, output)).toBe(127);
  closeSync(output);
  expect(readFileSync(log, 'utf8')).toMatch(/no-such-command-here.*not found/);
});

it('gives every word to the command as it is', async () => {
  const odd = ['two words', '$HOME', '"', "it's", '', '-n', 'a\nb'];
  expect(
    await run(
      node,
      '--eval',
      `process.exit(process.argv.slice(1).join('|') === ${JSON.stringify(odd.join('|'))} ? 0 : 1)`,
      ...odd,
    ),
  ).toBe(0);
});

it('does not begin before somebody has been told of the process', async () => {
  const file = join(temporaryFolder(), 'begun');
  const heard: { child: ChildProcess; begun: boolean }[] = [];
  const status = await runCommand(['touch', file], process.env, (child) => {
    // As long as it would take to begin.
    const until = Date.now() + 200;
    while (Date.now() < until);
    heard.push({ child, begun: existsSync(file) });
  });
  expect(status).toBe(0);
  expect(heard).toEqual([{ child: expect.objectContaining({ pid: expect.any(Number) }), begun: false }]);
  expect(existsSync(file)).toBe(true);
});

it('gives a single word with spaces to the shell', async () => {
  expect(await run('true && exit 3')).toBe(3);
});

it('gives 128 and the signal for a command that a signal ended', async () => {
  expect(await run(node, '--eval', 'process.kill(process.pid, "SIGTERM")')).toBe(143);
});
