import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium } from '../tools/set-up/find-chromium.mjs';

let browser: Browser;
beforeAll(async () => {
  const executablePath = findChromium(process.env) ?? '';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

it('a person signs a test user in on the page of the API and reads a balance there', async () => {
  const page = await browser.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') wrong.push(`asked ${hostname}`);
  });
  await page.goto(`${process.env.RETURN_BASE_URL}/api/`);
  await page.getByLabel('E-mail').fill(`${crypto.randomUUID()}@example.test`);
  await page.getByRole('button', { name: 'Sign in a test user' }).click();
  await page.getByText('is signed in for an hour').waitFor();

  const balance = page.locator('#operations-credits-readBalance');
  await balance.click();
  await balance.getByRole('button', { name: 'Execute' }).click();
  const answer = balance.locator('.live-responses-table');
  await answer.getByText('"balance": 0').waitFor();
  expect(await answer.locator('tr.response > .response-col_status').textContent()).toContain('200');
  expect(wrong).toEqual([]);
});
