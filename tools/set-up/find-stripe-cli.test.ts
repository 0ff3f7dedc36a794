import { expect, test } from 'vitest';
import { bringStripeCli } from './bring-stripe-cli.mjs';
import { fakeMachine, prints } from './fake-machine.ts';
import { findStripeCli } from './find-stripe-cli.mjs';

const has = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, prints('')]));
const BUILT = '/home/ann/.cache/extension-billing/stripe-cli-1.44.0/stripe';

test('the CLI of the project’s cache is taken before one on PATH, whose version nobody knows', () => {
  expect(findStripeCli(fakeMachine({ programs: has('/usr/bin/stripe', BUILT) }))).toBe(BUILT);
  expect(findStripeCli(fakeMachine({ programs: has('/usr/bin/stripe') }))).toBe('/usr/bin/stripe');
});

test('a STRIPE_CLI that is not there is not replaced by another one', async () => {
  const machine = fakeMachine({ environment: { STRIPE_CLI: '/typo' }, programs: has(BUILT) });
  expect(findStripeCli(machine)).toBeUndefined();
  await expect(bringStripeCli(machine)).rejects.toThrow('/typo');
});

test('without a CLI and without Go it says how to get one', async () => {
  await expect(bringStripeCli(fakeMachine({}))).rejects.toThrow(/no Go here[\s\S]*STRIPE_CLI/);
});
