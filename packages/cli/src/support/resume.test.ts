import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Refusal } from '../local/refusal.ts';
import { openResume, STOPPED, untilStopped } from './resume.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function aMachine(): string {
  const folder = mkdtempSync(join(tmpdir(), 'resume-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('XDG_CACHE_HOME', folder);
  return folder;
}

const command = (project: string) => ({
  command: 'count',
  args: { project, apply: true },
  schema: v.object({ cursor: v.string() }),
});

it('goes on where a run with the same args saved last, and only where that is asked for', () => {
  const folder = aMachine();
  openResume(command('a'), false).save({ cursor: 'ada' });
  openResume(command('b'), false).save({ cursor: 'bob' });
  expect(openResume(command('a'), true).state).toEqual({ cursor: 'ada' });
  expect(openResume(command('b'), true).state).toEqual({ cursor: 'bob' });
  expect(openResume(command('a'), false).state).toBeNull();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /json/.test(name),
  );
  expect(files).toHaveLength(2);
  expect(files.map((name) => statSync(join(folder, name)).mode & 0o077)).toEqual([0, 0]);
});

it('says so where nothing was stopped, where all was done, and where another version saved it', () => {
  aMachine();
  expect(() => openResume(command('a'), true)).toThrow(Refusal);
  const run = openResume(command('a'), false);
  run.save({ cursor: 'ada' });
  run.done();
  expect(() => openResume(command('a'), true)).toThrow('leave --resume away');
  const older = { ...command('a'), schema: v.object({ page: v.number() }) };
  openResume(older, false).save({ page: 3 });
  expect(() => openResume(command('a'), true)).toThrow('of another version');
});

it('does not go on in a file with what another run was about', () => {
  const file = join(aMachine(), 'ada.json.progress');
  openResume({ ...command('a'), file }, false).save({ cursor: 'ada' });
  expect(openResume({ ...command('a'), file }, true).state).toEqual({ cursor: 'ada' });
  expect(() => openResume({ ...command('b'), file }, true)).toThrow('with these args');
});

it('is asked to stop by the first Ctrl-C and ended by the second, not by one that npm passes on as well', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const signals = new EventEmitter();
  const ended: number[] = [];
  let now = 0;
  const result = await untilStopped(
    async (stop) => {
      signals.emit('SIGINT');
      now += 20;
      signals.emit('SIGINT');
      expect(ended).toEqual([]);
      now += 500;
      signals.emit('SIGINT');
      return stop.aborted;
    },
    signals,
    (status) => ended.push(status),
    () => now,
  );
  expect(result).toBe(true);
  expect(ended).toEqual([STOPPED]);
  expect(signals.listenerCount('SIGINT')).toBe(0);
});
