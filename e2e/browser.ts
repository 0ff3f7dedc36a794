import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core';
import type { EntitlementSnapshot } from '../packages/client/src/snapshot/snapshot.ts';
import { type DrivenBrowser, type DriveOptions, SURFACES, type Surface } from './driver.ts';
import { openedTab } from './hosted-pages.ts';
import { connectRawCdp, isWorkerAlive, killWorker, type RawCdp } from './raw-cdp.ts';
import { chromiumToRun } from './start-chromium.ts';

/** The id that the fixed manifest key gives to every local build. */
export const EXTENSION_ID = 'keggfklddlhbjeolakknnaliambbpajm';

export type { Surface };

export interface ExtensionBrowser extends DrivenBrowser {
  readonly kind: 'chromium';
  readonly context: BrowserContext;
  readonly userDataDir: string;
  /** The running worker; waits for it when it is just starting. */
  worker(): Promise<Worker>;
  /** The worker that Playwright is attached to, if there is one. */
  workerNow(): Worker | undefined;
  /** One of the extension's pages, in a tab of the surface's size. */
  open(surface: Surface): Promise<Page>;
  openedTab(action: () => Promise<unknown>): Promise<Page>;
  visit(url: string): Promise<Page>;
  /** Clicks on the extension's icon in the toolbar while a page is in front (Chromium from 146 on). */
  clickAction(page: Page): Promise<void>;
}

export interface LaunchOptions extends DriveOptions {
  readonly extensionId?: string;
  readonly locale?: string;
  readonly colorScheme?: 'light' | 'dark';
}

/**
 * Starts Chromium with the built extension. `CHROMIUM` names another executable. Branded Chrome from 137 on ignores
 * `--load-extension`, so it has to be Chromium or Chrome for Testing.
 */
export async function launchExtension(options: LaunchOptions): Promise<ExtensionBrowser> {
  const extensionId = options.extensionId ?? EXTENSION_ID;
  const userDataDir = options.userDataDir ?? (await mkdtemp(join(tmpdir(), 'billing-e2e-')));
  await writeDeveloperMode(userDataDir);
  const extensions = [options.dist, ...(options.others ?? [])].join(',');
  const context = await chromium.launchPersistentContext(userDataDir, {
    executablePath: chromiumToRun(),
    // Playwright's own headless mode is a shell without extensions.
    headless: false,
    ...(options.locale === undefined ? {} : { locale: options.locale }),
    ...(options.colorScheme === undefined ? {} : { colorScheme: options.colorScheme }),
    args: [
      '--headless=new',
      '--no-sandbox',
      `--disable-extensions-except=${extensions}`,
      `--load-extension=${extensions}`,
      '--disable-background-networking',
      '--no-first-run',
      '--enable-unsafe-extension-debugging', // for clickAction
      '--remote-debugging-port=0',
      ...(options.locale === undefined ? [] : [`--lang=${options.locale}`]),
    ],
  });
  let cdp: RawCdp | undefined;
  const rawCdp = async (): Promise<RawCdp> => {
    cdp ??= await connectRawCdp(userDataDir);
    return cdp;
  };
  const isOurs = (worker: Worker): boolean => worker.url().startsWith(`chrome-extension://${extensionId}/`);

  const workerNow = (): Worker | undefined => context.serviceWorkers().find(isOurs);
  const visit = async (url: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  // Without Playwright's debugger holding it.
  const endWorker = async (): Promise<void> => killWorker(await rawCdp(), extensionId);

  return {
    kind: 'chromium',
    context,
    extensionId,
    userDataDir,
    workerNow,
    worker: async () =>
      context.serviceWorkers().find(isOurs) ??
      (await context.waitForEvent('serviceworker', { predicate: isOurs })),
    async open(surface) {
      const { path, ...size } = SURFACES[surface];
      const page = await context.newPage();
      await page.setViewportSize(size);
      await page.goto(`chrome-extension://${extensionId}/${path}`);
      return page;
    },
    openAt: (path) => visit(`chrome-extension://${extensionId}/${path}`),
    visit,
    openedTab: (action) => openedTab(context, action),
    another: async () =>
      context.serviceWorkers().find((worker) => !isOurs(worker)) ??
      (await context.waitForEvent('serviceworker', { predicate: (worker) => !isOurs(worker) })),
    goOffline: (wake) => goOffline(context, { workerNow, endWorker, wake }),
    goOnline: () => context.setOffline(false),
    async closeTabs() {
      for (const page of context.pages().slice(1)) await page.close();
    },
    killWorker: endWorker,
    isWorkerAlive: async () => isWorkerAlive(await rawCdp(), extensionId),
    clickAction: (page) => clickAction(context, page, extensionId),
    async close() {
      cdp?.close();
      await context.close();
      if (options.userDataDir === undefined) await rm(userDataDir, { recursive: true, force: true });
    },
  };
}

interface Offline {
  workerNow(): Worker | undefined;
  endWorker(): Promise<void>;
  wake(): Promise<unknown>;
}

/** Playwright cannot tell a worker that it is not attached to, as one that was just woken again: another is started. */
async function goOffline(context: BrowserContext, { workerNow, endWorker, wake }: Offline): Promise<void> {
  for (let time = 0; time < 10; time += 1) {
    await context.setOffline(true);
    const isOffline = workerNow()?.evaluate<boolean>('!navigator.onLine');
    const unheard = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false));
    if (await Promise.race([isOffline?.catch(() => false) ?? false, unheard])) return;
    await context.setOffline(false);
    await endWorker();
    await wake();
  }
  throw new Error('The worker could not be taken off the network.');
}

/** A click as the user's own: it opens the page to the extension (`activeTab`), as no event sent by script would. */
async function clickAction(context: BrowserContext, page: Page, id: string): Promise<void> {
  const cdp = await context.browser()?.newBrowserCDPSession();
  if (cdp === undefined) throw new Error('The browser has closed.');
  await page.bringToFront();
  const { targetInfos } = await cdp.send('Target.getTargets', { filter: [{ type: 'tab' }] });
  const tab = targetInfos.find(({ url }) => url === page.url());
  if (tab === undefined) throw new Error(`No tab shows ${page.url()}.`);
  await cdp.send('Extensions.triggerAction', { id, targetId: tab.targetId });
  await cdp.detach();
}

type Evaluating = Pick<Page, 'evaluate'>;

/** What is stored, as any page of the extension reads it. */
export function readSnapshot(page: Evaluating): Promise<EntitlementSnapshot | null> {
  return page.evaluate(async () => {
    const { entitlements } = await chrome.storage.local.get('entitlements');
    return (entitlements ?? null) as EntitlementSnapshot | null;
  });
}

/** Sends a message as the page would, and returns the worker's raw reply. */
export function sendMessage<Reply>(page: Evaluating, message: object): Promise<Reply> {
  return page.evaluate((sent) => chrome.runtime.sendMessage(sent), message) as Promise<Reply>;
}

/** Waits until the stored snapshot satisfies the condition; the error shows the last one seen. */
export async function waitForSnapshot(
  page: Evaluating,
  condition: (snapshot: EntitlementSnapshot) => boolean,
  timeoutMs = 60_000,
): Promise<EntitlementSnapshot> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const snapshot = await readSnapshot(page);
    if (snapshot !== null && condition(snapshot)) return snapshot;
    if (Date.now() > giveUpAt) throw new Error(`The snapshot stayed ${JSON.stringify(snapshot)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Without developer mode Chromium disables unpacked extensions after they reload. */
async function writeDeveloperMode(userDataDir: string): Promise<void> {
  const preferences = join(userDataDir, 'Default', 'Preferences');
  if (existsSync(preferences)) return;
  await mkdir(join(userDataDir, 'Default'), { recursive: true });
  await writeFile(preferences, JSON.stringify({ extensions: { ui: { developer_mode: true } } }));
}
