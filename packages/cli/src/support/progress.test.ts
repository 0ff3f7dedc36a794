import { afterEach, expect, it, vi } from 'vitest';
import { describeDuration, describeProgress, startProgress } from './progress.ts';

afterEach(() => vi.restoreAllMocks());

function aStream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
}

it('says how far, how fast and how long it takes still', () => {
  expect(describeProgress('users', 12_000, 100_000, 310)).toBe(
    'users: 12,000 of 100,000 (12 %), 310 a second, 4 min 44 s left',
  );
  expect(describeProgress('users', 3, 100, 0.5)).toBe('users: 3 of 100 (3 %), 30 a minute, 3 min 14 s left');
  expect(describeProgress('users', 7, null, null)).toBe('users: 7');
  expect(describeProgress('users', 0, 0, 0)).toBe('users: 0 of 0, 0 a second');
  expect(describeDuration(3 * 86_400_000)).toBe('3 days 0 h');
});

it('writes one line of a terminal again and again, and prints the answer beside it', () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const stream = aStream(true);
  let now = 0;
  const progress = startProgress('users', stream, () => now);
  for (let done = 0; done <= 1_000; done += 10) {
    progress.report(done, 2_000);
    now += 20;
  }
  progress.print('ada differs');
  progress.end();
  expect(printed).toHaveBeenCalledWith('ada differs');
  expect(stream.written.length).toBeLessThan(16);
  expect(stream.written.at(-2)).toBe('\rusers: 1,000 of 2,000 (50 %), 500 a second, 2 s left\u001b[K');
  expect(stream.written.at(-1)).toBe('\n');
});

it('writes a line every ten seconds into a log, and none for what is over at once', () => {
  const stream = aStream(false);
  let now = 0;
  const progress = startProgress('users', stream, () => now);
  for (let second = 0; second <= 35; second += 1) {
    progress.report(1_000 + second * 50, 5_000);
    now += 1_000;
  }
  progress.end();
  expect(stream.written).toEqual([
    'users: 1,500 of 5,000 (30 %), 50 a second, 1 min 10 s left\n',
    'users: 2,000 of 5,000 (40 %), 50 a second, 1 min 0 s left\n',
    'users: 2,500 of 5,000 (50 %), 50 a second, 50 s left\n',
  ]);
});
