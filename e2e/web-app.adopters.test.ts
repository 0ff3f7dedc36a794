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
let records: CustomerRecords;

beforeAll(async () => {
  if (process.env.BILLING_BASE_URL === undefined)
    throw new Error('The suite is not up. Run this with "npx vitest run --project adopters".');
  folder = await mkdtemp(join(tmpdir(), 'billing-web-app-'));
  const dist = await buildWebApp(folder, await packClient(folder));
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

it('spends what was asked for in each tab, and goes on where the tab that serves is frozen', async () => {
  const [a, b] = [await openWebTab(context), await openWebTab(context)];
  await a.page.getByLabel('Email').fill(`${randomUUID()}@example.test`);
  await a.page.getByLabel('Password').fill(randomUUID());
  await a.page.getByRole('button', { name: 'Create account' }).click();
  const stored = 'extension-billing:demo-extension-billing:local:entitlements';
  const uidIn = () =>
    b.page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '{}').uid ?? null, stored);
  await expect.poll(uidIn, { timeout: 20_000 }).not.toBeNull();
  const uid = String(await uidIn());
  await records.metered(uid, COST * 10);
  await shows(COST * 10, a, b);

  await Promise.all([a.page.click(RUN), b.page.click(RUN)]);
  await shows(COST * 8, a, b);
  expect([await records.balance(uid), await records.consumes(uid)]).toEqual([COST * 8, 2]);

  expect(b.requests).toEqual([]);
  const cdp = await context.newCDPSession(a.page);
  await b.page.bringToFront();
  // As where the browser freezes a page: nothing in it runs, and it keeps its lock.
  await cdp.send('Debugger.enable');
  await cdp.send('Debugger.pause');
  await b.page.click(RUN);
  await shows(COST * 7, b);
  expect(b.requests.length).toBeGreaterThan(0);

  await cdp.send('Debugger.resume');
  await cdp.detach();
  await a.page.bringToFront();
  await shows(COST * 7, a);
  await a.page.click(RUN);
  await shows(COST * 6, a, b);
  expect([await records.balance(uid), await records.consumes(uid)]).toEqual([COST * 6, 4]);
});
