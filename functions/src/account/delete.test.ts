import { expect, it } from 'vitest';
import { needsFreshSignIn, RECENT } from './delete.ts';

const NOW = 1_800_000_000_000;
const user = (at: number) => ({ at, isAnonymous: false });
const guest = (at: number) => ({ at, isAnonymous: true });

it('takes a sign-in of the last five minutes', () => {
  expect(needsFreshSignIn(user(NOW - RECENT), 'with_sign_in', NOW)).toBe(false);
  expect(needsFreshSignIn(user(NOW - RECENT - 1), 'with_sign_in', NOW)).toBe(true);
});

it('asks nothing of a guest, who has nothing to sign in with', () => {
  expect(needsFreshSignIn(guest(0), 'without_sign_in', NOW)).toBe(false);
});

it('takes no guest’s session, however young, for an account that can be signed in to by now', () => {
  expect(needsFreshSignIn(guest(NOW), 'with_sign_in', NOW)).toBe(true);
  expect(needsFreshSignIn(guest(0), 'with_sign_in', NOW)).toBe(true);
});

it('lets a guest’s deletion that began go on, when the account is no more', () => {
  expect(needsFreshSignIn(guest(0), 'gone', NOW)).toBe(false);
});

it('asks a user of the owner’s own token service (no sign-in at Firebase) for a fresh one', () => {
  expect(needsFreshSignIn(user(0), 'without_sign_in', NOW)).toBe(true);
});

it('asks again where a token does not say when its user signed in', () => {
  expect(needsFreshSignIn(user(Number.NaN), 'with_sign_in', NOW)).toBe(true);
});
