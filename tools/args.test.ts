import { expect, it, vi } from 'vitest';
import { answerHelp, parseWords } from './args.ts';

const USAGE = 'usage: npm run something -- [--fast]';
const config = { options: { fast: { type: 'boolean' } } } as const;

/** What the words print, and the status that the process would end with; undefined where it goes on. */
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
  const told = {
    ended: ended instanceof Error ? ended.message : ended,
    status: exit.mock.calls[0]?.[0],
    out: out.mock.calls.flat().join('\n'),
    error: error.mock.calls.flat().join('\n'),
  };
  vi.restoreAllMocks();
  return told;
}

it.each(['--help', '-h'])('%s prints the usage and ends well, whatever stands beside it', (word) => {
  const about = { ended: 'ended with 0', status: 0, out: USAGE, error: '' };
  expect(tried(() => parseWords(['--fast', word], USAGE, config))).toEqual(about);
  expect(tried(() => answerHelp([word], USAGE))).toEqual(about);
});

it('an option that there is not, and a word where none is taken, get the usage and a status of 2', () => {
  for (const word of ['--wrong', 'word', '--fast=yes']) {
    const { status, out, error } = tried(() => parseWords([word], USAGE, config));
    expect([status, out]).toEqual([2, '']);
    expect(error).toMatch(new RegExp(`^(?!Error).+\\n\\n${USAGE.replaceAll(/[[\]]/g, '\\$&')}$`));
  }
});

it('what fits is taken', () => {
  expect(parseWords(['--fast'], USAGE, config).values.fast).toBe(true);
  expect(parseWords([], USAGE, config).values).toEqual({});
});
