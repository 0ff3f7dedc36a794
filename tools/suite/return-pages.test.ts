import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { auditPage } from '../../e2e/audit-page.ts';
import { startChromium } from '../../e2e/start-chromium.ts';
import { PRODUCTS } from '../../public/billing/products.js';
import { apiPage, extensionsFile, serveReturnPages } from './return-pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['success', 'cancel', 'portal-return', 'sign-in'] as const;
type Texts = Record<
  string,
  Record<(typeof PAGES)[number], { title: string; body: string }> & { close: string }
>;

let browser: Browser;
let server: Awaited<ReturnType<typeof serveReturnPages>>;
let base: string;

beforeAll(async () => {
  const api = apiPage({ root, billing: 'http://127.0.0.1:1/api', authEmulator: 'http://127.0.0.1:2' });
  const extensions = extensionsFile(['configured', 'another']);
  [browser, server] = await Promise.all([
    startChromium(),
    serveReturnPages(`${root}public`, 0, (...exchange) => extensions(...exchange) || api(...exchange)),
  ]);
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

/** A page as a visitor meets it; what its console says ends up in the list. */
async function visit(path: string, visitor: BrowserContextOptions = {}, owner?: string) {
  const context = await browser.newContext({ locale: 'en-US', ...visitor });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  if (owner !== undefined) {
    const body = `export const OWNER = ${JSON.stringify(owner)};`;
    await page.route('**/owner.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
  }
  await page.goto(`${base}${path}`);
  return { page, said };
}

/** Heading and paragraphs as they are shown. */
const saysOf = (page: Page): Promise<string[]> => page.locator('main :is(h1, p):visible').allTextContents();
const ground = (page: Page): Promise<number[]> =>
  page.evaluate<number[]>('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)');

describe('a return page', () => {
  it.each([
    ['de-AT', 'de', 'Vielen Dank'],
    ['pt-BR', 'pt', 'Obrigado'],
    ['xh-ZA', 'en', 'Thank you'],
  ])('speaks to a visitor of %s in %s', async (locale, language, title) => {
    const { page, said } = await visit('/billing/success.html', { locale });
    await page.locator(`html[lang=${language}]`).waitFor();
    expect(await page.locator('h1').textContent()).toBe(title);
    expect(await page.title()).toBe(title);
    expect(said).toEqual([]);
  });

  it('says who sells, and nothing where that is not set', async () => {
    const named = await visit('/billing/success.html', {}, 'Tidy <b>Tabs</b>');
    await named.page.getByText('Tidy <b>Tabs</b>', { exact: true }).waitFor();
    expect(await named.page.title()).toBe('Thank you – Tidy <b>Tabs</b>');
    const unnamed = await visit('/billing/success.html', {}, '');
    expect((await saysOf(unnamed.page))[0]).toBe('Thank you');
    expect([...named.said, ...unnamed.said]).toEqual([]);
  });

  it('has each of its texts in each of its languages, and says the same in English without a script', async () => {
    const { page } = await visit('/billing/success.html');
    const texts = await page.evaluate<Texts>("import('/billing/texts.js').then((module) => module.TEXTS)");
    const english = texts.en as Texts[string];
    const shape = (value: unknown): unknown =>
      typeof value === 'string'
        ? value.length > 0
        : Object.fromEntries(Object.entries(Object(value)).map(([key, inner]) => [key, shape(inner)]));
    for (const [language, own] of Object.entries(texts))
      expect([language, shape(own)]).toEqual([language, shape(english)]);
    const { page: plain } = await visit('/billing/success.html', { javaScriptEnabled: false });
    for (const name of PAGES) {
      await plain.goto(`${base}/billing/${name}.html`);
      const { title, body } = english[name];
      expect(await saysOf(plain)).toEqual([title, body, english.close]);
    }
  });

  it('gives a sign-in link that no extension took to copy, also after a reload, and leaves none in the history', async () => {
    const path = '/billing/sign-in.html?extension=none&oobCode=abc';
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, said } = await visit(path, { locale: 'de', permissions });
    await page.reload();
    expect(await page.getByRole('textbox').inputValue()).toBe(`${base}${path}`);
    expect(page.url()).toBe(`${base}/billing/sign-in.html`);
    await page.getByRole('button', { name: 'Link kopieren' }).click();
    await page.getByRole('button', { name: 'Kopiert' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${base}${path}`);
    expect(await auditPage(page)).toEqual([]);
    expect(said).toEqual([]);
  });

  it('hands a sign-in link only to an extension that the owner has configured', async () => {
    const given = async (extension: string) => {
      const context = await browser.newContext();
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.addInitScript(`window.given = [];
        window.chrome = { runtime: { sendMessage: async (id) => { window.given.push(id); return { ok: true }; } } };`);
      await page.goto(`${base}/billing/sign-in.html?extension=${extension}&oobCode=abc`);
      await page.locator('main:not([aria-busy])').waitFor();
      return page.evaluate('window.given');
    };
    expect(await given('configured')).toEqual(['configured']);
    expect(await given('malicious')).toEqual([]);
  });

  it('is dark for who wants it dark, and fits a narrow window', async () => {
    const narrow = { viewport: { width: 320, height: 600 }, colorScheme: 'dark' as const, locale: 'fr' };
    const { page } = await visit(
      '/billing/cancel.html',
      narrow,
      'A name that is a good deal longer than most',
    );
    expect(Math.max(...(await ground(page)).slice(0, 3))).toBeLessThan(64);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });
});

it('an address without a page is answered in the same look, as Hosting does it', async () => {
  const { page, said } = await visit(
    '/',
    { locale: 'de', viewport: { width: 320, height: 600 } },
    'Tidy Tabs',
  );
  expect((await saysOf(page)).slice(0, 2)).toEqual(['Tidy Tabs', 'Hier ist nichts']);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).borderRadius")).toBe('16px');
  expect(said.filter((line) => !line.includes('404'))).toEqual([]);
});

it('the page after a purchase says what was bought, and takes no text from its address', async () => {
  const [[key, name] = ['', '']] = Object.entries(PRODUCTS);
  const boughtOn = async (query: string, locale = 'en-US') => {
    const { page } = await visit(`/billing/success.html?${query}`, { locale });
    return page.locator('.bought span').allTextContents();
  };
  expect(await boughtOn(`bought=${key}&amount=900&currency=usd`)).toEqual([name, '$9.00']);
  expect(await boughtOn(`bought=${key}&amount=900&currency=jpy`, 'de-DE')).toEqual([name, '900\u00a0¥']);
  expect(await boughtOn(`bought=${key}&amount=free&currency=usd`)).toEqual([name]);
  expect(await boughtOn('bought=Gold&amount=900&currency=usd')).toEqual([]);
});

describe('the page of the API', () => {
  it('breaks no path in a narrow window', async () => {
    const { page } = await visit('/api/', { viewport: { width: 320, height: 900 } });
    const paths = page.locator('.opblock-summary-path a span');
    await paths.first().waitFor();
    const lines = await paths.evaluateAll((all) =>
      all.map((path) => new Set([...path.getClientRects()].map(({ bottom }) => bottom)).size),
    );
    expect(lines.length).toBeGreaterThan(10);
    expect(new Set(lines)).toEqual(new Set([1]));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  it('follows the system into the dark and back', async () => {
    const { page } = await visit('/api/', { colorScheme: 'dark' });
    await page.locator('html.dark-mode').waitFor();
    expect(Math.max(...(await ground(page)).slice(0, 3))).toBeLessThan(64);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html:not(.dark-mode)').waitFor();
    expect(Math.min(...(await ground(page)).slice(0, 3))).toBeGreaterThan(200);
  });
});
