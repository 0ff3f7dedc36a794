import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { aCreditHolder } from '../../../functions/test/fixtures/credit-holder.ts';
import { findEnvironment } from '../../../tools/set-up/find-python.mjs';
import { thisMachine } from '../../../tools/set-up/machine.mjs';
import { OPENAPI_PYTHON_CLIENT } from '../../../tools/set-up/openapi-python-client.mjs';
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts';
import { serve } from './ways.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** `node tools/set-up.mjs openapi-python-client` brings it, and says why where it cannot. */
const python = findEnvironment(thisMachine(process.env), OPENAPI_PYTHON_CLIENT);
if (python === undefined) console.log(`NOT RUN: the client in Python.\n${OPENAPI_PYTHON_CLIENT.ways}`);

it.skipIf(python === undefined)(
  'charges through a Python client that is made of docs/openapi.json',
  async () => {
    const folder = temporaryFolder();
    // Formatting what nobody reads takes longer than making it.
    writeFileSync(join(folder, 'config.yml'), 'post_hooks: []\n');
    const run = (args: readonly string[], env: object = {}) =>
      promisify(execFile)(python ?? '', args, {
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
      });
    const document = ['--path', at('../../../docs/openapi.json')];
    const generate = ['-m', 'openapi_python_client', 'generate', ...document, '--meta', 'none'];
    const made = await run([
      ...generate,
      ...['--output-path', join(folder, 'billing_api'), '--config', join(folder, 'config.yml')],
    ]);
    expect(`${made.stdout}${made.stderr}`).not.toMatch(/warning|error/i);

    const uid = await aCreditHolder(20);
    const { url, key, close } = await serve();
    const environment = { BILLING_URL: url, BILLING_KEY: key, BILLING_USER: uid, PYTHONPATH: folder };
    const { stdout } = await run([at('./python/drive.py')], environment).finally(close);
    expect(stdout).toBe('left: 3\n');
  },
);
