import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import catalog from '../examples/assistant/billing.config.ts';
import { costOf, priceIn } from '../examples/assistant/function/cost.ts';
import { type Served, serveAssistant } from '../examples/assistant/test/serve.ts';
import { auth, firestore } from '../functions/test/app/emulated-user.ts';
import { createBilling } from '../packages/server/src/exports/in-process.ts';
import { type ExtensionBrowser, launchExtension, waitForSnapshot } from './browser.ts';
import { runProgram } from './new-extension.ts';

const price = priceIn(catalog.features, 'chat');
const USAGE = { input: 1_500, cached: 0, output: 300, reasoning: 0 };
const COST = costOf(price, USAGE);
const FREE = catalog.free?.credits ?? 0;

let dist: string;
let served: Served;
let browser: ExtensionBrowser;
const closing: Array<() => Promise<void>> = [];

beforeAll(async () => {
  const { BILLING_BASE_URL = '', FIREBASE_AUTH_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST } = process.env;
  if (BILLING_BASE_URL === '')
    throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
  const billing = createBilling({ firestore, auth, catalog, name: 'assistant' });
  served = await serveAssistant(billing, price, {}, (close) => closing.push(close));
  dist = await mkdtemp(join(tmpdir(), 'billing-assistant-'));
  Object.assign(process.env, {
    VITE_ASSISTANT_URL: served.baseURL,
    VITE_API_BASE_URL: BILLING_BASE_URL,
    VITE_AUTH_EMULATOR_URL: `http://${FIREBASE_AUTH_EMULATOR_HOST}`,
    VITE_FIRESTORE_EMULATOR: FIRESTORE_EMULATOR_HOST,
  });
  const config = join(import.meta.dirname, '../examples/assistant/extension/vite.config.ts');
  await runProgram(dist, 'vite', 'build', '--config', config, '--outDir', dist, '--logLevel', 'warn');
  const manifest = join(dist, 'manifest.json');
  const built: object = JSON.parse(await readFile(manifest, 'utf8'));
  const host_permissions = [`${new URL(served.baseURL).origin}/*`];
  await writeFile(manifest, JSON.stringify({ ...built, host_permissions }));
  browser = await launchExtension({ dist });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all(closing.map((close) => close()));
  await rm(dist, { recursive: true, force: true });
});

it('the assistant says what an answer can cost, streams it, and shows its receipt', async () => {
  served.play({ text: ['Credits', ' pay', ' for', ' answers.'], usage: USAGE });
  const page = await browser.context.newPage();
  await page.goto(`chrome-extension://${browser.extensionId}/assistant.html`);
  const createAccount = async (): Promise<void> => {
    await page.getByLabel('Email').fill(`${randomUUID()}@example.test`);
    await page.getByLabel('Password').fill(randomUUID());
    await page.getByRole('button', { name: 'Create an account' }).click();
  };
  await createAccount();

  const question = page.getByLabel('Your question');
  await question.fill('x'.repeat(60_000));
  await page.getByRole('status').filter({ hasText: 'This is too long for one question.' }).waitFor();
  await page.getByRole('button', { name: 'Ask' }).click();
  const plainly = await page.getByRole('alert').filter({ hasText: 'too long' }).textContent();
  expect(plainly).toBe('This is too long for one question. Send less.');
  await question.fill('What are credits for?');
  await page.getByText(/^About 2 credits, \d credits at most\.$/).waitFor();
  expect(served.upstream.asked).toEqual([]);

  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText('Credits pay for answers.').waitFor();
  const left = FREE - COST;
  const tokens = '1500 input, 0 cached, 300 output, 0 reasoning tokens';
  await page.getByText(`${COST} credits (${tokens}). ${left} left.`).waitFor();
  // The record's own news, by way of the worker.
  await waitForSnapshot(page, ({ credits }) => credits?.balance === left);
  await page.getByText(`${left} credits left`).waitFor();

  served.play({ text: ['Credits'], usage: USAGE, fault: { kind: 'status', status: 400 } });
  await question.fill('And then?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByRole('alert').filter({ hasText: 'Nothing was charged' }).waitFor();
  expect((await firestore.doc(`customers/${await uidIn(page)}`).get()).get('creditsRemaining')).toBe(left);

  // The next user neither sees nor sends what the one before asked, also if its answer comes late.
  const late = Promise.withResolvers<void>();
  served.play({ text: ['A secret.'], usage: USAGE, until: late.promise });
  const asked = served.upstream.asked.length;
  await question.fill('And a secret?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect.poll(() => served.upstream.asked.length).toBe(asked + 1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Sign in to ask.').waitFor();
  await createAccount();
  await question.waitFor();
  expect(await question.inputValue()).toBe('');
  await question.fill('Hello');
  late.resolve();
  await page.getByRole('button', { name: 'Ask' }).click();
  await expect.poll(() => served.upstream.asked.length).toBe(asked + 2);
  expect(served.upstream.asked.at(-1)?.body.messages).toEqual([{ role: 'user', content: 'Hello' }]);
});

function uidIn(page: Awaited<ReturnType<ExtensionBrowser['context']['newPage']>>): Promise<string> {
  return waitForSnapshot(page, ({ uid }) => uid !== null).then(({ uid }) => String(uid));
}
