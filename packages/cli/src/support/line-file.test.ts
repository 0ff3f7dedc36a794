import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Refusal } from '../local/refusal.ts';
import { openLineFile, readLines } from './line-file.ts';

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'lines.jsonl');
}

it('holds all that was added where a disk takes only a part at once', async () => {
  const path = aFile();
  const probe = await open(path, 'w');
  const { write } = Object.getPrototypeOf(probe);
  await probe.close();
  const short = vi.spyOn(Object.getPrototypeOf(probe), 'write');
  onTestFinished(() => short.mockRestore());
  short.mockImplementation(function (this: unknown, ...args: unknown[]) {
    const [chunk, offset, length, at] = args;
    return write.call(this, chunk, offset, Math.min(Number(length), 3), at);
  });
  const file = await openLineFile(path, 0);
  await file.add('Łódź and more\n');
  expect(await file.flush()).toBe(Buffer.byteLength('Łódź and more\n'));
  await file.add('the end\n');
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('Łódź and more\nthe end\n');
});

it('does not go on in a file that is shorter than it was left, or gone', async () => {
  const path = aFile();
  await expect(openLineFile(path, 3)).rejects.toThrow(Refusal);
  writeFileSync(path, 'ab');
  await expect(openLineFile(path, 3)).rejects.toThrow(Refusal);
  expect(readFileSync(path, 'utf8')).toBe('ab');
});

it('reads the lines of a file whole, whatever their length and characters', async () => {
  const path = aFile();
  const lines = ['a\u2028b\u2029c\u0085', 'Ł'.repeat(100_000), '', 'without an end'];
  writeFileSync(path, lines.join('\n'));
  const found: string[] = [];
  for await (const line of readLines(path)) found.push(line);
  expect(found).toEqual(lines);
});
