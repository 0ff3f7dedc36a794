import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sold } from '../../packages/cli/src/local/sold.ts';
import type { AuthResult, ConsumeResult, SessionReply } from '../../packages/client/src/messages.ts';
import { sendMessage, waitForSnapshot } from '../browser.ts';
import { buildExtension } from '../build-extension.ts';
import { type CustomerRecords, openCustomerRecords } from '../customer-records.ts';
import type { BrowserKind, DrivenBrowser, Tab } from '../driver.ts';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { extensionIdIn, launchIn } from '../launch.ts';

const MESSAGES = [
  { type: 'billingHello' },
  { type: 'creditsConsume', feature: sold.feature },
  { type: 'billingCheckout', lookupKey: sold.monthly.lookupKey },
  // In another currency than the page's own: what an outsider has asked is told from what the page asks.
  { type: 'billingPrices', currency: 'jpy' },
  { type: 'authSignOut' },
];

/** Sends messages to the extension from wherever it runs, each way, and leaves the replies in the page's title. */
const ASKING_SCRIPT = `
  const ask = (message) => new Promise((resolve) => {
    const reply = (value) => resolve(value ?? { nothing: chrome.runtime.lastError?.message ?? true });
    try { chrome.runtime.sendMessage(...TARGET, message, reply); } catch (error) { resolve({ nothing: String(error) }); }
  });
  const askOverPort = (message) => new Promise((resolve) => {
    try {
      const port = chrome.runtime.connect(...TARGET, { name: 'extension-billing' });
      port.onMessage.addListener((answer) => 'reply' in answer && resolve(answer.reply));
      port.onDisconnect.addListener(() => resolve({ nothing: chrome.runtime.lastError?.message ?? true }));
      port.postMessage({ id: String(Math.random()), message });
    } catch (error) { resolve({ nothing: String(error) }); }
  });
  const messages = ${JSON.stringify(MESSAGES)};
  Promise.all([...messages.map(ask), ...messages.map(askOverPort)]).then((replies) => { document.title = JSON.stringify(replies); });
`;

export function doorsIn(kind: BrowserKind): void {
  describe('the doors of the extension', () => {
    let folder: string;
    let site: Server;
    let siteOrigin: string;
    let records: CustomerRecords;
    let auth: FaultProxy;
    let api: FaultProxy;
    let firestore: FaultProxy;
    let browser: DrivenBrowser;
    let page: Tab;
    let uid: string;

    beforeAll(async () => {
      const {
        BILLING_BASE_URL = '',
        FIREBASE_AUTH_EMULATOR_HOST,
        FIRESTORE_EMULATOR_HOST = '',
      } = process.env;
      if (BILLING_BASE_URL === '')
        throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
      folder = await mkdtemp(join(tmpdir(), 'billing-doors-'));
      site = createServer((_, response) =>
        response.setHeader('content-type', 'text/html').end('<title>site</title>'),
      );
      await new Promise<void>((resolve) => site.listen(0, resolve));
      siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      records = openCustomerRecords();
      auth = await startFaultProxy(`http://${FIREBASE_AUTH_EMULATOR_HOST}`);
      api = await startFaultProxy(BILLING_BASE_URL);
      firestore = await startFaultProxy(`http://${FIRESTORE_EMULATOR_HOST}`);

      const dist = join(folder, 'own');
      await buildExtension(
        dist,
        {
          VITE_API_BASE_URL: `${api.url}${new URL(BILLING_BASE_URL).pathname}`.replace(/\/$/, ''),
          VITE_AUTH_EMULATOR_URL: auth.url,
          VITE_FIRESTORE_EMULATOR: new URL(firestore.url).host,
          VITE_RETURN_ORIGIN: siteOrigin,
        },
        kind,
      );
      await giveContentScript(dist, '/own-script', '[]');
      // A page of the extension's own that wakes the worker by nothing: the demo's say hello every 20 s.
      await writeFile(join(dist, 'quiet.html'), '<!doctype html><title>quiet</title>');
      const hostile = join(folder, 'hostile');
      await writeExtension(hostile);
      browser = await launchIn(kind, { dist, others: [hostile] });

      page = await browser.openAt('quiet.html');
      const email = `${randomUUID()}@example.test`;
      const signedUp = await sendMessage<AuthResult>(page, {
        type: 'authSignUp',
        email,
        password: randomUUID(),
      });
      if (!signedUp.ok || signedUp.user === null) throw new Error('No account.');
      uid = signedUp.user.uid;
      await records.metered(uid, 10);
      await waitForSnapshot(page, ({ credits }) => credits?.balance === 10);
    });
    afterAll(async () => {
      await browser?.close();
      await Promise.all([records, auth, api, firestore].map((each) => each?.close()));
      site?.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** Adds a content script that asks, to what was built. */
    async function giveContentScript(dist: string, path: string, target: string): Promise<void> {
      const manifest = JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8'));
      manifest.content_scripts = [
        { matches: [`http://127.0.0.1/*`], include_globs: [`*${path}`], js: ['ask.js'] },
      ];
      await writeFile(join(dist, 'manifest.json'), JSON.stringify(manifest));
      await writeFile(join(dist, 'ask.js'), ASKING_SCRIPT.replaceAll('TARGET', target));
    }
    /** A second extension, whose worker and content script know the id of the first. */
    async function writeExtension(into: string): Promise<void> {
      await cp(new URL('../hostile-extension/', import.meta.url), into, { recursive: true });
      await giveContentScript(into, '/hostile-script', `['${extensionIdIn(kind)}']`);
    }
    async function repliesIn(tab: Tab): Promise<unknown[]> {
      await tab.waitForFunction(() => document.title.startsWith('['));
      return JSON.parse(await tab.title());
    }
    const visit = (path: string, origin = siteOrigin): Promise<Tab> => browser.visit(`${origin}${path}`);
    async function openCheckout(): Promise<Tab> {
      const url = `${siteOrigin}/checkout`;
      api.fail(/checkout/, { kind: 'answer', status: 200, body: { url, sessionId: 'cs_1' } }, 1);
      const message = { type: 'billingCheckout', lookupKey: sold.smallPack.lookupKey };
      const checkout = await browser.openedTab(async () =>
        expect(await sendMessage(page, message)).toEqual({ ok: true }),
      );
      expect(checkout.url()).toBe(url);
      return checkout;
    }
    /** The alarm starts an event page, which only then has listeners that outlive it. */
    async function aMinutePasses(): Promise<void> {
      await page.evaluate(() => chrome.alarms.create('billing-purchase', { when: Date.now() }));
      await vi.waitFor(async () => expect(await browser.isWorkerAlive()).toBe(true), { timeout: 10_000 });
      await sendMessage(page, { type: 'billingHello' });
      await browser.killWorker();
    }
    /** Firefox starts the event page for the listeners of the last one, and finds that it has them no more. */
    async function onceForNothing(): Promise<void> {
      await (await visit('/nothing')).close();
      await sendMessage(page, { type: 'billingHello' });
      await browser.killWorker();
    }
    async function nothingHappened(): Promise<void> {
      expect((await sendMessage<SessionReply>(page, { type: 'billingHello' })).user?.uid).toBe(uid);
      expect(await records.balance(uid)).toBe(10);
      expect(api.requests.map(({ path }) => path)).toEqual([]);
    }

    it('are closed to its own content scripts', async () => {
      for (const reply of await repliesIn(await visit('/own-script'))) {
        expect(reply).toMatchObject({ error: { code: 'forbidden_sender' } });
      }
      await nothingHappened();
    });

    it('are closed to another extension, to its pages and its content scripts', async () => {
      const replies = await repliesIn(await visit('/hostile-script'));
      const another = await browser.another();
      const fromItself = await another.evaluate(
        ([id, messages]) =>
          Promise.all(
            messages.map((message) =>
              chrome.runtime.sendMessage(id, message).then(
                (reply) => reply ?? { nothing: true },
                (error) => ({ nothing: String(error) }),
              ),
            ),
          ),
        [browser.extensionId, MESSAGES] as const,
      );
      const isNothing = (reply: unknown): boolean => JSON.stringify(reply).startsWith('{"nothing"');
      const isRefused = (reply: unknown): boolean => JSON.stringify(reply).includes('"forbidden_sender"');
      // Firefox lets every extension speak to every other one: some reach the background, which refuses them.
      const isClosed = (reply: unknown): boolean =>
        isNothing(reply) || (kind === 'firefox' && isRefused(reply));
      for (const reply of [...replies, ...fromItself]) expect(reply).toSatisfy(isClosed);
      await nothingHappened();
    });

    if (kind === 'firefox')
      it('are closed to every web page, the return page too', async () => {
        for (const host of ['127.0.0.1', 'localhost']) {
          const anyPage = await visit('/', siteOrigin.replace('127.0.0.1', host));
          expect(await anyPage.evaluate(() => typeof globalThis.chrome?.runtime?.sendMessage)).toBe(
            'undefined',
          );
        }
        await nothingHappened();
      });

    if (kind === 'chromium')
      it('are closed to web pages: only the return page can speak, and only to say that it is there', async () => {
        const stranger = await visit('/', siteOrigin.replace('127.0.0.1', 'localhost'));
        expect(await stranger.evaluate(() => typeof globalThis.chrome?.runtime?.sendMessage)).toBe(
          'undefined',
        );

        const returnPage = await visit('/');
        for (const message of MESSAGES)
          expect(await askFrom(returnPage, message)).toMatchObject({ error: {} });
        expect(await askFrom(returnPage, { type: 'billingReturn' })).toEqual({ ok: true });
        await nothingHappened();
      });

    if (kind === 'chromium')
      it('let the return page wake a dead worker, which brings what was bought', async () => {
        const returnPage = await visit('/');
        await browser.killWorker();
        await records.metered(uid, 1_000);
        await askFrom(returnPage, { type: 'billingReturn' });
        await waitForSnapshot(page, ({ credits }) => credits?.balance === 1_000);
      });

    it('open at a checkout: an alarm finds the purchase though the worker died, and then stops', async () => {
      await openCheckout();
      const alarms = () => page.evaluate(() => chrome.alarms.getAll());
      expect(await alarms()).toMatchObject([{ name: 'billing-purchase', periodInMinutes: 1 }]);

      await browser.killWorker();
      await records.metered(uid, 2_000);
      // The same alarm, ringing now: a test need not wait a minute for it.
      await page.evaluate(() => chrome.alarms.create('billing-purchase', { when: Date.now() }));
      await waitForSnapshot(page, ({ credits }) => credits?.balance === 2_000);
      await vi.waitFor(async () => expect(await alarms()).toEqual([]));
    });

    it.each<[string, (checkout: Tab) => Promise<unknown>]>([
      ['leads back', (checkout) => checkout.evaluate(() => location.assign('/back'))],
      ['is closed', (checkout) => checkout.close()],
    ])('notice by the checkout’s own tab that it %s, though the worker died', async (_what, comeBack) => {
      const { credits } = await waitForSnapshot(page, () => true);
      const checkout = await openCheckout();
      await browser.killWorker();
      if (kind === 'firefox') await aMinutePasses();
      const balance = (credits?.balance ?? 0) + 500;
      await records.metered(uid, balance);
      await comeBack(checkout);
      await waitForSnapshot(page, (now) => now.credits?.balance === balance);
      // The checkout is over, so no tab wakes the worker any more.
      await vi.waitFor(async () => expect(await page.evaluate(() => chrome.alarms.getAll())).toEqual([]));
      await browser.killWorker();
      if (kind === 'firefox') await onceForNothing();
      for (const path of ['/one', '/two']) await (await visit(path)).close();
      expect(await browser.isWorkerAlive()).toBe(false);
    });

    it('have a content script, or a feature that is used, wake the worker without a look at the record', async () => {
      await browser.killWorker();
      const before = firestore.requests.length;
      await repliesIn(await visit('/own-script'));
      const spent = await sendMessage<ConsumeResult>(page, {
        type: 'creditsConsume',
        feature: sold.feature,
      });
      const { credits } = await waitForSnapshot(page, () => true);
      expect(spent).toMatchObject({ ok: true, balance: credits?.balance });
      expect(await records.balance(uid)).toBe(credits?.balance);
      expect(firestore.requests.slice(before)).toEqual([]);
      await sendMessage(page, { type: 'billingHello' });
      await vi.waitFor(() => expect(firestore.requests.length).toBeGreaterThan(before), { timeout: 10_000 });
    });

    it('say that the session has expired when the auth service refuses it, and keep what is known', async () => {
      const refusal = { error: { code: 400, message: 'TOKEN_EXPIRED' } };
      auth.fail(/token/, { kind: 'answer', status: 400, body: refusal });
      api.fail(/consume/, { kind: 'answer', status: 401, body: {} }, 1);
      const known = await waitForSnapshot(page, () => true);
      const denied = await sendMessage(page, { type: 'creditsConsume', feature: sold.feature });
      expect(denied).toMatchObject({ ok: false, reason: 'signed_out', balance: known.credits?.balance });
      expect(await sendMessage(page, { type: 'billingHello' })).toMatchObject({
        user: { uid },
        expired: true,
      });
      auth.heal();
      await browser.killWorker();
      expect(await sendMessage(page, { type: 'creditsConsume', feature: sold.feature })).toMatchObject({
        ok: true,
      });
      expect(await sendMessage(page, { type: 'billingHello' })).toMatchObject({
        user: { uid },
        expired: false,
      });
    });
  });
}

function askFrom(page: Tab, message: object): Promise<unknown> {
  return page.evaluate(
    ([id, sent]) =>
      new Promise((resolve) => {
        chrome.runtime.sendMessage(id, sent, resolve);
      }),
    [extensionIdIn('chromium'), message] as const,
  );
}
