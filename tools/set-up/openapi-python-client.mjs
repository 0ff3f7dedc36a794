// What makes a Python client of docs/openapi.json, to show that other languages are known to work.
import { fileURLToPath } from 'node:url';

const version = '0.29.1';

/** @type {import('./find-python.mjs').PythonProgram} */
export const OPENAPI_PYTHON_CLIENT = {
  name: 'openapi-python-client',
  version,
  leastPython: 11,
  constraints: fileURLToPath(new URL('./openapi-python-client-constraints.txt', import.meta.url)),
  ways: `A Python client is made of docs/openapi.json by openapi-python-client ${version}. This brings it:
  - install Python 3.11 or newer with venv (on Debian: apt-get install python3-venv) and run this again: it puts
    openapi-python-client into the project's cache with pip, about 20 s
  - a python3 of another name goes into the variable PYTHON`,
};
