import { expect, it, vi } from 'vitest';
import { answerHelp, parseArgs } from './args.ts';

const USAGE = 'usage: npm run something -- [--fast]';
const config = { options: { fast: { type: 'boolean' } } } as const;

/** What a command prints, and the status that the process would end with; undefined where it goes on. */
function tried(work: () => unknown) {
  const exit = vi.spyOn(process, 'exit').mockImplementation((status) => {
    throw new Error(`ended with ${status}`);
  });
  const out = vi.spyOn(console, 'log').mockReturnValue();
  const error = vi.spyOn(console, 'error').mockReturnValue();
  let ended: unknown;
  try {
    work();
  } catch (end) {
    ended = end;
  }
  const result = {
    ended: ended instanceof Error ? ended.message : ended,
    status: exit.mock.calls[0]?.[0],
    out: out.mock.calls.flat().join('\n'),
    error: error.mock.calls.flat().join('\n'),
  };
  vi.restoreAllMocks();
  return result;
}

it.each(['--help', '-h'])('%s prints the usage and ends well, whatever stands beside it', (arg) => {
  const about = { ended: 'ended with 0', status: 0, out: USAGE, error: '' };
  expect(tried(() => parseArgs(['--fast', arg], USAGE, config))).toEqual(about);
  expect(tried(() => answerHelp([arg], USAGE))).toEqual(about);
});

it('an option that there is not, and an arg where none is taken, get the usage and a status of 2', () => {
  for (const arg of ['--wrong', 'arg', '--fast=yes']) {
    const { status, out, error } = tried(() => parseArgs([arg], USAGE, config));
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(new RegExp(`^${USAGE.replaceAll(/[[\]]/g, '\\$&')}\n\n(?!Error).+$`));
  }
});

it('what fits is taken', () => {
  expect(parseArgs(['--fast'], USAGE, config).values.fast).toBe(true);
  expect(parseArgs([], USAGE, config).values).toEqual({});
});
