// The fuzzer that holds the running service to docs/openapi.json.
import { fileURLToPath } from 'node:url';

const version = '4.32.5';

/** @type {import('./find-python.mjs').PythonProgram} */
export const SCHEMATHESIS = {
  name: 'schemathesis',
  version,
  leastPython: 10,
  constraints: fileURLToPath(new URL('./schemathesis-constraints.txt', import.meta.url)),
  ways: `The service is held to docs/openapi.json by schemathesis ${version}, a Python program. This brings it:
  - install Python 3.10 or newer with venv (on Debian: apt-get install python3-venv) and run this again: it puts
    schemathesis into the project's cache with pip, about 20 s
  - a python3 of another name goes into the variable PYTHON`,
};
