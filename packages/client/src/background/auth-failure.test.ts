import { expect, it } from 'vitest';
import { authFailureOf } from './auth-failure.ts';

const failureOf = (code: string) => authFailureOf(Object.assign(new Error('a@b.c typed hunter2'), { code }));

it('tells nobody whether it was the address or the password that was wrong', () => {
  const answers = ['auth/user-not-found', 'auth/wrong-password', 'auth/invalid-credential'].map(failureOf);
  expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('invalid_credentials'));
  expect(new Set(answers.map(({ message }) => message)).size).toBe(1);
});

it.each(['auth/user-not-found', 'auth/internal-error', 'nonsense'])(
  'repeats nothing of what the SDK says with %s, which may be what the user typed',
  (code) => {
    expect(JSON.stringify(failureOf(code))).not.toMatch(/hunter2|a@b\.c/);
  },
);

it.each([null, undefined, 7, 'text', {}])(
  'takes %j for a service that did not answer as it should',
  (thrown) => {
    expect(authFailureOf(thrown).code).toBe('unavailable');
  },
);
