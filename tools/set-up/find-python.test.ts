import { expect, test } from 'vitest';
import { bringPythonProgram } from './bring-python.mjs';
import { fakeMachine, prints } from './fake-machine.ts';
import { findEnvironment, findPython } from './find-python.mjs';
import { SCHEMATHESIS } from './schemathesis.mjs';

const CACHED = '/home/ann/.cache/extension-billing/schemathesis-4.32.5/bin/python3';

test('the Python of the project’s cache has a program, and no other one is taken to have it', () => {
  const usr = { '/usr/bin/python3': prints('new enough') };
  expect(findEnvironment(fakeMachine({ programs: usr }), SCHEMATHESIS)).toBeUndefined();
  const both = fakeMachine({ programs: { ...usr, [CACHED]: prints('') } });
  expect(findEnvironment(both, SCHEMATHESIS)).toBe(CACHED);
  expect(findEnvironment(both, { ...SCHEMATHESIS, version: '0.0.0' })).toBeUndefined();
});

test('a Python that is too old, or has no venv, is passed over for the next on PATH', () => {
  const environment = { PATH: '/old:/bare:/good' };
  const bare = { '/old/python3': prints('too old'), '/bare/python3': () => undefined };
  expect(findPython(fakeMachine({ environment, programs: bare }), SCHEMATHESIS)).toBeUndefined();
  const programs = { ...bare, '/good/python3': prints('new enough') };
  expect(findPython(fakeMachine({ environment, programs }), SCHEMATHESIS)).toBe('/good/python3');
});

test('a PYTHON that cannot make an environment is not replaced by another one', () => {
  const programs = { '/usr/bin/python3': prints('new enough') };
  const machine = fakeMachine({ environment: { PYTHON: '/typo' }, programs });
  expect(findPython(machine, SCHEMATHESIS)).toBeUndefined();
});

test('without such a Python it says what to install', async () => {
  await expect(bringPythonProgram(fakeMachine({}), SCHEMATHESIS)).rejects.toThrow(
    /Python 3\.10[\s\S]*python3-venv/,
  );
});
