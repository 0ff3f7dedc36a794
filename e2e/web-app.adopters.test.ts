import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costOf } from '@extension-billing/contract/features';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalog } from '../packages/cli/src/local/catalog.ts';
import { sold } from '../packages/cli/src/local/sold.ts';
import { type CustomerRecords, openCustomerRecords } from './customer-records.ts';
import { packClient } from './new-extension.ts';
import { startChromium } from './start-chromium.ts';
import { buildWebApp, openWebTab, serveWebApp, type WebTab } from './web-app.ts';

const COST = costOf(catalog, sold.feature) ?? 0;
const RUN = `[data-testid="run-${sold.feature}"]`;

let folder: string;
let browser: Browser;
let context: BrowserContext;
let dist: string;
let records: CustomerRecords;

beforeAll(async () => {
  if (process.env.BILLING_BASE_URL === undefined)
    throw new Error('The suite is not up. Run this with "npx vitest run --project adopters".');
  folder = await mkdtemp(join(tmpdir(), 'billing-web-app-'));
  dist = await buildWebApp(folder, await packClient(folder));
  records = openCustomerRecords();
  browser = await startChromium();
  context = await browser.newContext();
  await serveWebApp(context, dist);
});
afterAll(async () => {
  await browser?.close();
  await records?.close();
  await rm(folder, { recursive: true, force: true });
});

const shows = async (credits: number, ...tabs: WebTab[]): Promise<void> => {
  for (const { page } of tabs) await page.getByText(new RegExp(`: \\w+, ${credits} credits`)).waitFor();
};

it('shows the elements too, of a bundle of their own', async () => {
  const bundle = 'node_modules/@extension-billing/client/dist/elements.js';
  copyFileSync(join(folder, bundle), join(folder, 'dist', 'elements.js'));
  const { page } = await openWebTab(context);
  const script = `import { providePricing } from '/elements.js';
    providePricing(${JSON.stringify(catalog)});
    document.body.append(document.createElement('billing-panel'));`;
  await page.addScriptTag({ type: 'module', content: script });
  // Playwright looks into open shadow roots.
  await page.locator('billing-panel').getByLabel('Email').waitFor();
  await page.close();
});

const STORED = 'extension-billing:demo-extension-billing:local:entitlements';
const uidIn = ({ page }: WebTab) =>
  page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '{}').uid ?? null, STORED);
/** Creates an account in this tab. */
async function signUp({ page }: WebTab): Promise<void> {
  await page.getByLabel('Email').fill(`${randomUUID()}@example.test`);
  await page.getByLabel('Password').fill(randomUUID());
  await page.getByRole('button', { name: 'Create account' }).click();
}

it('spends once for each press, in every tab, also while another one is blocked', async () => {
  const [a, b] = [await openWebTab(context), await openWebTab(context)];
  await signUp(a);
  await expect.poll(() => uidIn(b), { timeout: 20_000 }).not.toBeNull();
  const uid = String(await uidIn(b));
  await records.metered(uid, COST * 10);
  await shows(COST * 10, a, b);

  await Promise.all([a.page.click(RUN), b.page.click(RUN)]);
  await shows(COST * 8, a, b);
  expect([await records.balance(uid), await records.consumes(uid)]).toEqual([COST * 8, 2]);

  const cdp = await context.newCDPSession(a.page);
  await b.page.bringToFront();
  // As if the browser had frozen the page: nothing runs in it.
  await cdp.send('Debugger.enable');
  await cdp.send('Debugger.pause');
  await b.page.click(RUN);
  await shows(COST * 7, b);
  await cdp.send('Debugger.resume');
  await cdp.detach();
  await a.page.bringToFront();
  await shows(COST * 7, a);
  await a.page.click(RUN);
  await shows(COST * 6, a, b);
  expect([await records.balance(uid), await records.consumes(uid)]).toEqual([COST * 6, 4]);

  await a.page.getByTestId('sign-out').click();
  await b.page.getByLabel('Email').waitFor();
  expect(await uidIn(b)).toBeNull();
  await Promise.all([a.page.close(), b.page.close()]);
});

it('works for as long as the page if the browser blocks site data', async () => {
  const { page } = await openWebTab(context, () => {
    const refuse = (): never => {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
      Object.defineProperty(window, name, { get: refuse });
    Object.defineProperty(navigator.locks, 'request', { value: async () => refuse() });
  });
  await signUp({ page });
  await page.getByTestId('sign-out').waitFor();
  await page.close();
});

it('says that billing is unavailable, and not that it is offline, at an origin that is not let in', async () => {
  const origin = 'http://127.0.0.1:5199';
  const elsewhere = await browser.newContext();
  await serveWebApp(elsewhere, dist, origin);
  const tab = await openWebTab(elsewhere, () => {}, origin);
  const said: string[] = [];
  tab.page.on('console', (message) => said.push(message.text()));
  await signUp(tab);
  await expect.poll(() => uidIn(tab), { timeout: 20_000 }).not.toBeNull();
  await records.metered(String(await uidIn(tab)), COST);
  await shows(COST, tab);
  await tab.page.click(RUN);
  await tab.page.getByText('The service did not answer.').first().waitFor();
  expect(await tab.page.getByText('offline').count()).toBe(0);
  expect(said.join('\n')).toMatch(
    /does not let http:\/\/127\.0\.0\.1:5199 in\. Add it to BILLING_WEB_ORIGINS/,
  );
  await elsewhere.close();
});
