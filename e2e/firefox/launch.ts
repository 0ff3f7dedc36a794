import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Page } from 'puppeteer-core';
import { LOCAL_FIREFOX_ID } from '../../packages/cli/src/local/suite.ts';
import { findFirefox, WAYS_TO_FIREFOX } from '../../tools/set-up/find-firefox.mjs';
import { type DrivenBrowser, type DriveOptions, SURFACES, type Tab } from '../driver.ts';
import { openChromeScope } from './chrome-scope.ts';
import { firefoxTab } from './tab.ts';

const PREFERENCES = {
  // What an extension stored, and its origin, outlive a restart, though one that is loaded by hand has to be loaded again.
  'extensions.webextensions.keepStorageOnUninstall': true,
  'extensions.webextensions.keepUuidOnUninstall': true,
  // The suite is on this machine, and has to be out of reach where there is no network.
  'network.disable-localhost-when-offline': true,
};

/** The id that an extension which is loaded beside has to have in its manifest. */
export const OTHER_ID = 'other@extension-billing.example';

/** Starts Firefox with the extension that was built for it. `FIREFOX` names another program. */
export async function launchFirefox({
  dist,
  userDataDir,
  others = [],
}: DriveOptions): Promise<DrivenBrowser> {
  const program = findFirefox(process.env);
  if (program === undefined) throw new Error(WAYS_TO_FIREFOX);
  const profile = userDataDir ?? (await mkdtemp(join(tmpdir(), 'billing-firefox-')));
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: program,
    headless: true,
    userDataDir: profile,
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: PREFERENCES,
  });
  const chrome = await openChromeScope(browser);
  for (const folder of [dist, ...others]) await browser.installExtension(folder);
  const extension = `WebExtensionPolicy.getByID(${JSON.stringify(LOCAL_FIREFOX_ID)})`;

  /** The protocol does not lead to an extension's page; the browser itself may open one. */
  async function openPage(id: string, path: string): Promise<Page> {
    const base = `WebExtensionPolicy.getByID(${JSON.stringify(id)}).getURL(${JSON.stringify(path)})`;
    const principal = '{ triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal() }';
    return newPage(() => chrome.run(`void (gBrowser.selectedTab = gBrowser.addTab(${base}, ${principal}))`));
  }
  /** The page that an action opens, once it has loaded. */
  async function newPage(action: () => Promise<unknown>): Promise<Page> {
    const before = new Set(await browser.pages());
    await action();
    const giveUpAt = Date.now() + 30_000;
    while (Date.now() < giveUpAt) {
      const opened = (await browser.pages()).find((page) => !before.has(page));
      const isLoaded = opened?.evaluate(
        () => location.href !== 'about:blank' && document.readyState === 'complete',
      );
      if (opened !== undefined && (await isLoaded?.catch(() => false))) return opened;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('No tab was opened.');
  }

  return {
    kind: 'firefox',
    extensionId: LOCAL_FIREFOX_ID,
    async open(surface) {
      const { path, ...size } = SURFACES[surface];
      const page = await openPage(LOCAL_FIREFOX_ID, path);
      await page.setViewport(size);
      return firefoxTab(page);
    },
    openAt: async (path) => firefoxTab(await openPage(LOCAL_FIREFOX_ID, path)),
    async visit(url) {
      const page = await browser.newPage();
      await page.goto(url);
      return firefoxTab(page);
    },
    openedTab: async (action): Promise<Tab> => firefoxTab(await newPage(action)),
    another: async () => firefoxTab(await openPage(OTHER_ID, 'page.html')),
    async goOffline() {
      await chrome.run('Services.io.offline = true');
      // Connections that are kept alive would go on.
      await chrome.run(`void Services.obs.notifyObservers(null, 'net:cancel-all-connections')`);
    },
    goOnline: async () => void (await chrome.run('Services.io.offline = false')),
    async closeTabs() {
      for (const page of (await browser.pages()).slice(1)) await page.close();
    },
    killWorker: async () =>
      void (await chrome.run(
        `${extension}.extension.terminateBackground({ disableResetIdleForTest: true })`,
      )),
    isWorkerAlive: async () => (await chrome.run(`${extension}.extension.backgroundState`)) === 'running',
    async close() {
      await browser.close();
      if (userDataDir === undefined) await rm(profile, { recursive: true, force: true });
    },
  };
}
