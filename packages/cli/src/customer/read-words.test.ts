import { expect, it } from 'vitest';
import { readWords } from './read-words.ts';

const project = undefined;

it('takes a user, an export into a file, and an erasure that is dry unless it is said', () => {
  expect(readWords(['someone'])).toEqual({ verb: 'show', who: 'someone', project });
  expect(readWords(['export', 'someone', '--file', 'x.json', '--project', 'my-shop-1'])).toEqual({
    ...{ verb: 'export', who: 'someone', project: 'my-shop-1', file: 'x.json' },
  });
  expect(readWords(['erase', 'someone'])).toEqual({ verb: 'erase', who: 'someone', project, apply: false });
  expect(readWords(['erase', 'someone', '--apply'])).toMatchObject({ apply: true });
  expect(readWords(['ada@example.test'])).toEqual({ verb: 'show', who: 'ada@example.test', project });
});

it.each([
  ['nobody', []],
  ['export without a file', ['export', 'someone']],
  ['a file without an export', ['someone', '--file', 'x.json']],
  ['an apply that nothing takes', ['someone', '--apply']],
  ['an apply of an export', ['export', 'someone', '--file', 'x.json', '--apply']],
  ['two users', ['someone', 'someone-else']],
  ['three words', ['erase', 'someone', 'someone-else']],
  ['an unknown option', ['someone', '--aply']],
  ['what can be no uid', ['erase', 'some/one']],
])('%s gets the usage', (_what, words) => {
  expect(() => readWords(words)).toThrow('usage: npm run customer');
});
