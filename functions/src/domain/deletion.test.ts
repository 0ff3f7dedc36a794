import { expect, it } from 'vitest';
import { needsFreshSignIn, RECENT } from './deletion.ts';

const NOW = 1_800_000_000_000;

it('takes a sign-in of the last five minutes', () => {
  expect(needsFreshSignIn({ at: NOW - RECENT, isAnonymous: false }, NOW)).toBe(false);
  expect(needsFreshSignIn({ at: NOW - RECENT - 1, isAnonymous: false }, NOW)).toBe(true);
});

it('asks nothing of a guest, who has nothing to sign in with', () => {
  expect(needsFreshSignIn({ at: 0, isAnonymous: true }, NOW)).toBe(false);
});

it('asks again where a token does not say when its user signed in', () => {
  expect(needsFreshSignIn({ at: Number.NaN, isAnonymous: false }, NOW)).toBe(true);
});
