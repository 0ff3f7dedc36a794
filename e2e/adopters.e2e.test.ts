import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { costOf } from '@extension-billing/contract/features';
import type { Page } from 'playwright-core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BUNDLE_LIMITS } from '../extension/build/measure-bundles.ts';
import { catalog } from '../packages/cli/src/local/catalog.ts';
import { sold } from '../packages/cli/src/local/sold.ts';
import { isLicense, licensesIn, packagesIn } from '../tools/test/licenses.ts';
import { initUndoInit, runInit, spendACredit, useSuite } from './adopters/init.ts';
import { makeLinkedCrxjs } from './adopters/linked-crxjs.ts';
import { expectOwnPopup, loadBuilt } from './adopters/load.ts';
import { makePlain, PLAIN } from './adopters/plain-projects.ts';
import {
  addedTo,
  askFromOutside,
  askOwn,
  isUntouched,
  lookAround,
  makeHostile,
  moveInBeside,
} from './beside-others.ts';
import {
  type ExtensionBrowser,
  launchExtension,
  readSnapshot,
  sendMessage,
  waitForSnapshot,
} from './browser.ts';
import { type CustomerRecords, openCustomerRecords } from './customer-records.ts';
import { openedTab, payCheckout } from './hosted-pages.ts';
import { startLockRegistry } from './lock-registry.ts';
import {
  copyExample,
  fileBlocks,
  installClient,
  makePlainExtension,
  packClient,
  runGuideLines,
  runProgram,
  shellBlocks,
  useSuiteAddresses,
  useSuiteCatalog,
} from './new-extension.ts';
import { buildWebApp, openWebTab, serveWebApp, type WebTab } from './web-app.ts';

const PACK = sold.smallPack.credits;
const COST = costOf(catalog, sold.feature) ?? 0;
const LEFT = PACK - COST;
const [BY_INIT = '', BY_HAND = ''] = readFileSync(
  new URL('../docs/add-billing.md', import.meta.url),
  'utf8',
).split('\n# By hand\n');
const ELEMENTS = readFileSync(new URL('../docs/elements.md', import.meta.url), 'utf8');
const NAMES = readFileSync(new URL('../docs/names.md', import.meta.url), 'utf8');

let packed: string;
let tarball: string;
beforeAll(async () => {
  if (process.env.BILLING_BASE_URL === undefined)
    throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
  packed = await mkdtemp(join(tmpdir(), 'billing-packed-'));
  tarball = await packClient(packed);
});
afterAll(() => rm(packed, { recursive: true, force: true }));

const pageOf = async (browser: ExtensionBrowser, path: string): Promise<Page> => {
  const page = await browser.context.newPage();
  await page.goto(`chrome-extension://${browser.extensionId}/${path}`);
  return page;
};

describe('an extension made from the guide by hand, with the packed client and nothing else of this repository', () => {
  let folder: string;
  let browser: ExtensionBrowser;
  let popup: Page;
  let registry: { url: string; close: () => void };
  const testId = (id: string): string => `[data-testid="${id}"]`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-guide-'));
    const [install = '', build = ''] = shellBlocks(BY_HAND);
    registry = await startLockRegistry(new URL('../package-lock.json', import.meta.url));
    // What is packed here was built a moment ago for the other extensions: it is not built again.
    const packsAsBuilt = { npm_config_ignore_scripts: 'true' };
    await runGuideLines(install, {
      YOUR_FOLDER: folder,
      npm_config_registry: registry.url,
      ...packsAsBuilt,
    });
    for (const [file, text] of fileBlocks(BY_HAND)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    useSuiteAddresses(join(folder, 'src'), process.env);
    useSuiteAddresses(join(folder, 'public'), process.env);
    useSuiteCatalog(join(folder, 'src'));
    addContentScript(folder);
    await runGuideLines(`cd "$YOUR_FOLDER"\n${build}`, { YOUR_FOLDER: folder });
    browser = await launchExtension({ dist: join(folder, 'dist') });
    popup = await pageOf(browser, 'popup.html');
  });
  afterAll(async () => {
    await browser?.close();
    registry?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows no broken image, and advertises no trial without the button that starts it', async () => {
    const broken = await popup.evaluate(() =>
      [...document.images]
        .filter(({ complete, naturalWidth }) => complete && naturalWidth === 0)
        .map(({ src }) => src),
    );
    expect(broken).toEqual([]);
    if (/free for \d+ day/.test((await popup.textContent('body')) ?? '')) {
      expect(await popup.locator(testId(`buy-${sold.monthly.lookupKey}`)).count()).toBe(1);
    }
  });

  it('brings a source map beside every script', () => {
    const dist = join(folder, 'node_modules', '@extension-billing', 'client', 'dist');
    // What only passes on the exports of another has nothing to map.
    const scripts = readdirSync(dist)
      .filter((name) => name.endsWith('.js'))
      .filter((name) =>
        /^(?:async function|function|const|let|var|class) /m.test(readFileSync(join(dist, name), 'utf8')),
      );
    expect(scripts.filter((name) => !existsSync(join(dist, `${name}.map`)))).toEqual([]);
    expect(scripts.length).toBeGreaterThan(5);
  });

  it('names every package in it with the text of its license', () => {
    const dist = join(folder, 'node_modules', '@extension-billing', 'client', 'dist');
    const maps = readdirSync(dist).filter((name) => name.endsWith('.js.map'));
    const notices = (name: string) => licensesIn(readFileSync(join(dist, 'licenses', `${name}.md`), 'utf8'));
    const alone = ['background', 'background.classic', 'content.classic', 'elements'];
    const parts = maps.map((map) => ({ map, name: map.replace('.js.map', '') }));
    const missing = parts.flatMap(({ map, name }) => {
      const licenses = notices(alone.includes(name) ? name : 'modules');
      const bundled = packagesIn([join(dist, map)]);
      return bundled.filter((each) => !isLicense(licenses.get(each))).map((each) => `${each} in ${name}`);
    });
    expect(missing).toEqual([]);
    expect(packagesIn([join(dist, 'background.js.map')])).toContain('@firebase/auth');
  });

  it('has nothing that publint finds, suggestions among it', async () => {
    const { buffer } = new Uint8Array(readFileSync(tarball));
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has a worker within its limit where nothing builds it, and a small reader for content scripts', () => {
    const dist = join(folder, 'node_modules', '@extension-billing', 'client', 'dist');
    const sizeOf = (name: string): number => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
    expect(sizeOf('background.js')).toBeLessThanOrEqual(BUNDLE_LIMITS.background);
    expect(sizeOf('background.classic.js')).toBeLessThanOrEqual(BUNDLE_LIMITS.background);
    expect(sizeOf('content.classic.js')).toBeLessThanOrEqual(6_000);
    // Bundlers of adopters look for a polyfill of what is Node's: Parcel fails without one.
    expect(readFileSync(join(dist, 'background.js'), 'utf8')).not.toMatch(
      /\bBuffer\b|(?<![.\w`]|object )process\b/,
    );
  });

  it('has the look that its style sheet asks for', async () => {
    const submit = popup.locator(testId('sign-up-submit'));
    // The colour fades in when the button is enabled, and a busy machine is asked in the middle of it.
    await expect
      .poll(() => submit.evaluate((button) => getComputedStyle(button).backgroundColor))
      .toBe('rgb(15, 118, 110)');
  });

  it('signs up, buys a pack at the hosted checkout, and spends a credit, also seen by a content script', async () => {
    await popup.fill(testId('sign-in-email'), `${randomUUID()}@example.test`);
    await popup.fill(testId('sign-in-password'), randomUUID());
    await popup.click(testId('sign-up-submit'));
    await popup.waitForSelector('#greeting:has-text("Welcome: free, no credits")');
    const checkout = await openedTab(browser.context, () =>
      popup.click(testId(`buy-${sold.smallPack.lookupKey}`)),
    );
    await payCheckout(checkout);
    await popup.waitForSelector(`#greeting:has-text("${PACK} credits")`);
    const tab = await browser.context.newPage();
    await tab.goto(process.env.RETURN_BASE_URL ?? '');
    await expect
      .poll(() => tab.evaluate(() => document.documentElement.dataset.billing))
      .toBe(`free, ${PACK} credits`);
    await expect.poll(() => tab.evaluate(() => document.documentElement.dataset.plain)).toBe(String(PACK));
    await tab.close();
    await popup.click(testId(`run-${sold.feature}`));
    await popup.waitForSelector(`#greeting:has-text("${LEFT} credits")`);
    // The balance arrives by the snapshot, which may be before the answer to the click.
    await expect.poll(() => popup.textContent('body')).toContain('The thing is done.');
    expect((await readSnapshot(popup))?.credits).toMatchObject({ balance: LEFT, packCredits: LEFT });
  });
});

describe('an extension that follows the guide', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-follows-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('without a bundler: runs init, buys and spends, and does what it did before', async () => {
    await makePlain(folder, PLAIN['a classic worker']);
    expect(shellBlocks(BY_INIT)[0]).toContain('npx billing init "$YOUR_EXTENSION"\n');
    expect(await initUndoInit(folder, tarball)).toMatchObject({ status: 0 });
    useSuite(folder);
    const browser = await loadBuilt(folder);
    try {
      await expectOwnPopup(browser, 'popup.html');
      await spendACredit(browser);
    } finally {
      await browser.close();
    }
  });

  it('on CRXJS: runs init and vite, buys and spends, and does what it did before', async () => {
    await makeLinkedCrxjs(folder, tarball);
    expect(await runInit(folder, tarball, '--yes')).toMatchObject({ status: 0 });
    useSuite(folder);
    await runProgram(folder, 'vite', 'build');
    const browser = await loadBuilt(join(folder, 'dist'));
    try {
      await expectOwnPopup(browser, 'popup.html');
      await spendACredit(browser);
    } finally {
      await browser.close();
    }
  });
});

describe('an extension of plain files, as the page on elements has it: no bundler, no framework, no npm', () => {
  let folder: string;
  let browser: ExtensionBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-plain-'));
    await makePlainExtension(folder, tarball, fileBlocks(ELEMENTS));
    makeHostile(folder, 'worker.js');
    browser = await launchExtension({ dist: folder });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('signs up, buys a pack and spends a credit, by elements alone, beside listeners that answer everything and a content script that sends a lot', async () => {
    const page = await pageOf(browser, 'popup.html');
    await page.getByTestId('sign-in-email').fill(`${randomUUID()}@example.test`);
    await page.getByTestId('sign-in-password').fill(randomUUID());
    await page.keyboard.press('Enter');
    const buy = page.getByTestId(`buy-${sold.smallPack.lookupKey}`);
    await buy.waitFor();
    await payCheckout(await openedTab(browser.context, () => buy.click()));
    const balance = page.getByTestId('balance-value');
    await expect.poll(() => balance.textContent(), { timeout: 20_000 }).toMatch(new RegExp(`^${PACK}\\b`));
    const site = await browser.context.newPage();
    await site.goto(process.env.RETURN_BASE_URL ?? '');
    await page.bringToFront();
    await page.locator('billing-button').click();
    await expect.poll(() => page.textContent('body')).toContain('The thing is done.');
    await expect.poll(() => balance.textContent()).toMatch(new RegExp(`^${LEFT}\\b`));
    expect((await readSnapshot(page))?.credits).toMatchObject({ balance: LEFT, packCredits: LEFT });
  });
});

describe('the example without React, a feature of the tab that was clicked on', () => {
  let folder: string;
  let browser: ExtensionBrowser;
  let records: CustomerRecords;
  let site: Server;
  const account = { email: `${randomUUID()}@example.test`, password: randomUUID() };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-summarise-'));
    copyExample('summarise', folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    await installClient(folder, tarball, ['vite']);
    useSuiteAddresses(join(folder, 'src'), process.env);
    await runProgram(folder, 'vite', 'build');
    moveInBeside(join(folder, 'dist'));
    records = openCustomerRecords();
    const article = 'Credits pay for summaries. Summaries save time. Bananas are yellow fruit. '.repeat(2);
    site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<p>${article}</p>`),
    );
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    browser = await launchExtension({ dist: join(folder, 'dist') });
  });
  afterAll(async () => {
    await browser?.close();
    await records?.close();
    site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('spends a credit for a click on its icon, and none for whatever a page does or gets clicked in itself', async () => {
    const tab = await browser.context.newPage();
    await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const cdp = await browser.context.newCDPSession(tab);
    // Its words stand in a closed shadow root: only the debugger sees into it.
    const shown = async (): Promise<string> => {
      const { root } = await cdp.send('DOM.getDocument', { depth: -1, pierce: true });
      return JSON.stringify(root).match(/summarise-this-page.*/i)?.[0] ?? '';
    };
    const says = (words: RegExp) => expect.poll(shown, { timeout: 20_000 }).toMatch(words);
    const listens = async () =>
      (await browser.worker()).evaluate(() => chrome.action.onClicked.hasListeners());
    await expect.poll(listens, { timeout: 20_000 }).toBe(true);
    // The debugger's first click can come before the browser opens a new tab to the extension: that one is refused.
    const clickAndSee = async (): Promise<string> => {
      await browser.clickAction(tab);
      return shown();
    };
    await expect.poll(clickAndSee, { timeout: 20_000, interval: 500 }).toMatch(/Sign in first/);

    const options = await pageOf(browser, 'options.html');
    await options.getByLabel('Email').fill(account.email);
    await options.getByLabel('Password').fill(account.password);
    await options.getByRole('button', { name: 'Create an account' }).click();
    const { uid } = await waitForSnapshot(options, (snapshot) => snapshot.uid !== null);
    await records.metered(String(uid), COST);
    await options
      .getByRole('status')
      .filter({ hasText: `${COST} credits left` })
      .waitFor();

    await tab.bringToFront();
    const isReadable = await tab.evaluate(() => {
      const host = document.querySelector<HTMLElement>('summarise-this-page');
      host?.setAttribute('style', 'position: fixed; inset: 0; opacity: 0; z-index: 9');
      host?.click();
      return host?.shadowRoot !== null;
    });
    expect(isReadable).toBe(false);
    const { width, height } = tab.viewportSize() ?? { width: 0, height: 0 };
    for (const up of [40, 60, 80]) await tab.mouse.click(width - 60, height - up);
    expect(await records.balance(String(uid))).toBe(COST);

    await browser.clickAction(tab);
    await says(/Summaries save time\./);
    await expect.poll(() => records.balance(String(uid))).toBe(0);
    await options.getByRole('status').filter({ hasText: '0 credits left' }).waitFor();
    await expect.poll(clickAndSee, { timeout: 20_000, interval: 500 }).toMatch(/no credits left/);
    expect(await records.balance(String(uid))).toBe(0);
  });

  it('has the same account in a web app, in each of its tabs', async () => {
    const web = await mkdtemp(join(tmpdir(), 'billing-web-app-'));
    onTestFinished(() => rm(web, { recursive: true, force: true }));
    await serveWebApp(browser.context, await buildWebApp(web, tarball));
    const [a, b] = [await openWebTab(browser.context), await openWebTab(browser.context)];
    const shows = async (credits: number, ...tabs: WebTab[]): Promise<void> => {
      for (const { page } of tabs) await page.getByText(new RegExp(`: \\w+, ${credits} credits`)).waitFor();
    };
    await b.page.getByLabel('Email').fill(account.email);
    await b.page.getByLabel('Password').fill(account.password);
    await b.page.getByRole('button', { name: 'Sign in' }).click();
    await shows(0, a, b);

    const checkout = await openedTab(browser.context, () =>
      b.page.click(`[data-testid="buy-${sold.smallPack.lookupKey}"]`),
    );
    await payCheckout(checkout);
    await shows(PACK, a, b);

    await a.page.close();
    await b.page.click(`[data-testid="run-${sold.feature}"]`);
    await b.page.getByText('Done 1 times.').waitFor();
    await shows(LEFT, b);
    const options = await pageOf(browser, 'options.html');
    await options
      .getByRole('status')
      .filter({ hasText: `${LEFT} credits left` })
      .waitFor();

    const c = await openWebTab(browser.context);
    await shows(LEFT, c);
    await c.page.getByRole('button', { name: 'Sign out' }).click();
    await b.page.getByLabel('Email').waitFor();
  });

  it('leaves what is the extension’s own as it was, and answers for none of it', async () => {
    const options = await pageOf(browser, 'options.html');
    const own = ['now', 'later', 'last', 'never'].map((what) => ({ type: `mine-${what}` }));
    const answers = [{ mine: 'now' }, { mine: 'later' }, { mine: 'last' }];
    expect(await askOwn(options, [...own, 'ping', 7, {}, []])).toEqual([...answers, ...Array(5).fill(null)]);

    const tab = await browser.context.newPage();
    await tab.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const [now, later, refused] = await askFromOutside(tab, browser.extensionId, [
      ...own.slice(0, 2),
      { type: 'creditsConsume', feature: sold.feature, billing: true },
    ]);
    expect([now, later]).toEqual([{ mine: 'external' }, { mine: 'external, later' }]);
    expect(refused).toMatchObject({ error: { code: 'forbidden_sender' } });

    const bought = await lookAround(await browser.worker());
    await sendMessage(options, { type: 'authSignOut', billing: true });
    const left = await lookAround(await browser.worker());
    for (const look of [bought, left]) {
      expect(isUntouched(look), JSON.stringify(look)).toBe(true);
      expect(addedTo(look).filter((name) => !NAMES.includes(`\`${name}\``))).toEqual([]);
      expect(look).toMatchObject({ caches: [], badge: 'mine', title: 'Mine', globals: [] });
      expect(look.databases.filter((name) => name !== 'mine' && !NAMES.includes(name))).toEqual([]);
      expect(look.alarms).toContain('mine');
    }
    expect(addedTo(bought)).toEqual(expect.arrayContaining(['entitlements', 'billingSession']));
  });

  it('asks for the tab that was clicked on, and for no site', () => {
    const built: unknown = JSON.parse(readFileSync(join(folder, 'dist', 'manifest.json'), 'utf8'));
    expect(built).toMatchObject({ permissions: ['storage', 'alarms', 'activeTab', 'scripting'] });
    for (const key of ['content_scripts', 'host_permissions']) expect(built).not.toHaveProperty(key);
  });
});

/** As somebody without a bundler writes it. */
const PLAIN_CONTENT_SCRIPT = `
  extensionBilling.snapshotStore().subscribe((snapshot) => {
    document.documentElement.dataset.plain = extensionBilling.creditsView(snapshot).balance;
  });`;

/** The two lines of the guide's chapter on content scripts, and one without a bundler. */
function addContentScript(folder: string): void {
  const config = join(folder, 'vite.config.ts');
  const text = readFileSync(config, 'utf8')
    .replace(/^/, "import { contentScript } from '@extension-billing/client/vite';\n")
    .replace('react()', "react(), contentScript('src/content.ts')");
  writeFileSync(config, text);
  const file = join(folder, 'public', 'manifest.json');
  const manifest: object = JSON.parse(readFileSync(file, 'utf8'));
  const dist = join(folder, 'node_modules', '@extension-billing', 'client', 'dist');
  copyFileSync(join(dist, 'content.classic.js'), join(folder, 'public', 'content.classic.js'));
  writeFileSync(join(folder, 'public', 'plain.js'), PLAIN_CONTENT_SCRIPT);
  const scripts = [
    { matches: ['http://127.0.0.1/*'], js: ['content.js'] },
    { matches: ['http://127.0.0.1/*'], js: ['content.classic.js', 'plain.js'] },
  ];
  writeFileSync(file, JSON.stringify({ ...manifest, content_scripts: scripts }));
}
