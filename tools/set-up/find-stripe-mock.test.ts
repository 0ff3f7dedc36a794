import { expect, test } from 'vitest';
import { bringStripeMock } from './bring-stripe-mock.mjs';
import { fakeMachine, prints } from './fake-machine.ts';
import { findStripeMock } from './find-stripe-mock.mjs';

const has = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, prints('')]));
const BUILT = '/home/ann/.cache/extension-billing/stripe-mock-0.203.0/stripe-mock';

test('the stripe-mock of the project’s cache is taken before one on PATH, whose document nobody knows', () => {
  expect(findStripeMock(fakeMachine({ programs: has('/usr/bin/stripe-mock', BUILT) }))).toBe(BUILT);
  expect(findStripeMock(fakeMachine({ programs: has('/usr/bin/stripe-mock') }))).toBe('/usr/bin/stripe-mock');
});

test('a STRIPE_MOCK that is not there is not replaced by another one', async () => {
  const machine = fakeMachine({ environment: { STRIPE_MOCK: '/typo' }, programs: has(BUILT) });
  expect(findStripeMock(machine)).toBeUndefined();
  await expect(bringStripeMock(machine)).rejects.toThrow('/typo');
});

test('without a stripe-mock and without Go it says how to get one', async () => {
  await expect(bringStripeMock(fakeMachine({}))).rejects.toThrow(/no Go here[\s\S]*STRIPE_MOCK/);
});
