// npx vitest run --project adopters e2e/start: the guide's last line, on an extension whose id is of its path.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogJson } from '../packages/cli/src/init/templates/catalog.ts';
import { readPorts } from '../packages/cli/src/local/ports.ts';
import { SIMULATOR_SECRETS, suiteVariables } from '../packages/cli/src/local/suite.ts';
import { runInit, spendACredit } from './adopters/init.ts';
import { makePlain, PLAIN } from './adopters/plain-projects.ts';
import { launchExtension } from './browser.ts';
import { packClient, withSuiteAddresses } from './new-extension.ts';

const START = fileURLToPath(new URL('../tools/start.ts', import.meta.url));
/** Far from the suite of these tests. */
const ENVIRONMENT = { ...process.env, BILLING_PORT_OFFSET: '24000', BILLING_CATALOG: '' };

let folder: string;
let suite: ChildProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-start-'));
});
afterAll(async () => {
  if (suite?.exitCode === null) {
    const ended = new Promise((resolve) => suite?.once('exit', resolve));
    suite.kill('SIGINT');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

// The first time, this builds the function with what the extension sells.
it('sells what the extension’s own file says, and lets it in by its path', { timeout: 300_000 }, async () => {
  const extension = join(folder, 'extension');
  await makePlain(extension, PLAIN['a module worker']);
  expect(await runInit(extension, await packClient(folder), '--yes')).toMatchObject({ status: 0 });
  const variables = suiteVariables(readPorts({ BILLING_PORT_OFFSET: '24000' }), SIMULATOR_SECRETS);
  for (const path of ['manifest.json', 'billing/background.js']) {
    const file = join(extension, path);
    await writeFile(file, withSuiteAddresses(await readFile(file, 'utf8'), variables));
  }
  const { id, said } = await start(extension);
  expect(said).toContain(join(extension, 'billing.config.mjs'));
  const [pack = ''] = Object.keys(JSON.parse(catalogJson()).packs);
  const browser = await launchExtension({ dist: extension, extensionId: id });
  try {
    await spendACredit(browser, 'billing/page.html', {
      pack,
      credits: 100,
      feature: 'demo',
      cost: 1,
    });
  } finally {
    await browser.close();
  }
});

/** @returns the id that it lets in, and all that it says until it is ready */
async function start(extension: string): Promise<{ id: string; said: string }> {
  const child = spawn(process.execPath, [START, '--no-browser', '--extension', extension], {
    env: ENVIRONMENT,
  });
  suite = child;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('Ctrl-C ends everything')) resolve();
      });
    }
    child.once('exit', () => reject(new Error(`It ended before it was ready:\n${said}`)));
  });
  return { id: /let in as ([a-p]{32})/.exec(said)?.[1] ?? '', said };
}
