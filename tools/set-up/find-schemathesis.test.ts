import { expect, test } from 'vitest';
import { bringSchemathesis } from './bring-schemathesis.mjs';
import { fakeMachine, prints } from './fake-machine.ts';
import { findPython, findSchemathesis } from './find-schemathesis.mjs';

const CACHED = '/home/ann/.cache/extension-billing/schemathesis-4.32.5/bin/python3';

test('the Python of the project’s cache has schemathesis, and no other one is taken to have it', () => {
  const usr = { '/usr/bin/python3': prints('new enough') };
  expect(findSchemathesis(fakeMachine({ programs: usr }))).toBeUndefined();
  expect(findSchemathesis(fakeMachine({ programs: { ...usr, [CACHED]: prints('') } }))).toBe(CACHED);
});

test('a Python that is too old, or has no venv, is passed over for the next on PATH', () => {
  const environment = { PATH: '/old:/bare:/good' };
  const bare = { '/old/python3': prints('too old'), '/bare/python3': () => undefined };
  expect(findPython(fakeMachine({ environment, programs: bare }))).toBeUndefined();
  const programs = { ...bare, '/good/python3': prints('new enough') };
  expect(findPython(fakeMachine({ environment, programs }))).toBe('/good/python3');
});

test('a PYTHON that cannot make an environment is not replaced by another one', () => {
  const programs = { '/usr/bin/python3': prints('new enough') };
  expect(findPython(fakeMachine({ environment: { PYTHON: '/typo' }, programs }))).toBeUndefined();
});

test('without such a Python it says what to install', async () => {
  await expect(bringSchemathesis(fakeMachine({}))).rejects.toThrow(/Python 3\.10[\s\S]*python3-venv/);
});
