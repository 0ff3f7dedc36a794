import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type {
  AuthResult,
  ConsumeResult,
  ReserveResult,
  SessionReply,
  SettleResult,
} from '../extension/src/billing/messages.ts';
import type { EntitlementSnapshot } from '../extension/src/billing/snapshot/snapshot.ts';
import {
  type ExtensionBrowser,
  launchExtension,
  readSnapshot,
  sendMessage,
  waitForSnapshot,
} from './browser.ts';
import { buildExtension } from './build-extension.ts';
import { type CustomerRecords, openCustomerRecords } from './customer-records.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

const PASSWORD = randomUUID();

/** The built extension against the suite, with a proxy before the auth service and one before the API. */
describe('the extension is never wrong', () => {
  let records: CustomerRecords;
  let auth: FaultProxy;
  let api: FaultProxy;
  let dist: string;
  let userDataDir: string;
  let browser: ExtensionBrowser;

  beforeAll(async () => {
    const { BILLING_BASE_URL = '', FIREBASE_AUTH_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST = '' } = process.env;
    if (BILLING_BASE_URL === '') throw new Error('The suite is not up. Run this with "npm run test:e2e".');
    records = openCustomerRecords();
    auth = await startFaultProxy(`http://${FIREBASE_AUTH_EMULATOR_HOST}`);
    api = await startFaultProxy(BILLING_BASE_URL);
    dist = await mkdtemp(join(tmpdir(), 'billing-e2e-dist-'));
    userDataDir = await mkdtemp(join(tmpdir(), 'billing-e2e-profile-'));
    await buildExtension(dist, {
      VITE_API_BASE_URL: `${api.url}${new URL(BILLING_BASE_URL).pathname}`.replace(/\/$/, ''),
      VITE_AUTH_EMULATOR_URL: auth.url,
      VITE_FIRESTORE_EMULATOR: FIRESTORE_EMULATOR_HOST,
    });
    browser = await launchExtension({ dist, userDataDir });
  });
  afterEach(async () => {
    await browser.context.setOffline(false);
    auth.heal();
    api.heal();
    for (const page of browser.context.pages().slice(1)) await page.close();
    // The next test starts with a worker that no earlier outage has taught to wait.
    await browser.killWorker();
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([records?.close(), auth?.close(), api?.close()]);
    await Promise.all([dist, userDataDir].map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const consume = (page: Page): Promise<ConsumeResult> =>
    sendMessage(page, { type: 'creditsConsume', feature: 'demo', requestId: randomUUID() });
  const session = (page: Page): Promise<SessionReply> => sendMessage(page, { type: 'billingHello' });

  /** A new user with a page open, and the credits that they start with. */
  async function someoneWith(balance: number): Promise<{ page: Page; uid: string; email: string }> {
    const page = await browser.open('options');
    const email = `${randomUUID()}@example.test`;
    const signedUp = await sendMessage<AuthResult>(page, { type: 'authSignUp', email, password: PASSWORD });
    if (!signedUp.ok || signedUp.user === null) throw new Error(`No account: ${JSON.stringify(signedUp)}`);
    const { uid } = signedUp.user;
    await records.metered(uid, balance);
    await waitForSnapshot(page, (snapshot) => snapshot.uid === uid && snapshot.credits?.balance === balance);
    return { page, uid, email };
  }
  /** Playwright cannot tell a worker that it is not attached to, as one that was just woken again: another is started. */
  async function goOffline(page: Page): Promise<void> {
    for (let time = 0; time < 10; time += 1) {
      await browser.context.setOffline(true);
      const isOffline = browser.workerNow()?.evaluate(() => !navigator.onLine);
      const unheard = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false));
      if (await Promise.race([isOffline?.catch(() => false) ?? false, unheard])) return;
      await browser.context.setOffline(false);
      await browser.killWorker();
      await session(page);
    }
    throw new Error('The worker could not be taken off the network.');
  }
  async function restartBrowser(): Promise<Page> {
    await browser.close();
    browser = await launchExtension({ dist, userDataDir });
    return browser.open('options');
  }

  describe('stays signed in', () => {
    it.each([
      [400, 'INVALID_ID_TOKEN'],
      [400, 'USER_NOT_FOUND'],
      [429, 'QUOTA_EXCEEDED'],
      [503, 'UNAVAILABLE'],
    ])('when the auth service answers %i %s at every start of the worker', async (status, message) => {
      const { page, uid } = await someoneWith(10);
      auth.fail(/.*/, { kind: 'answer', status, body: { error: { code: status, message } } });
      await browser.killWorker();
      expect((await session(page)).user?.uid).toBe(uid);
      await browser.killWorker();
      expect((await session(page)).user?.uid).toBe(uid);
      auth.heal();
      await browser.killWorker();
      expect(await session(page)).toMatchObject({ user: { uid }, expired: false });
      expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    });

    it('when the browser restarts, and the last snapshot is there before any answer', async () => {
      const { uid } = await someoneWith(10);
      auth.fail(/.*/, { kind: 'refuse' });
      const page = await restartBrowser();
      expect(await readSnapshot(page)).toMatchObject({ uid, credits: { balance: 10 } });
      expect((await session(page)).user?.uid).toBe(uid);
      auth.heal();
      await records.metered(uid, 20);
      await waitForSnapshot(page, ({ credits }) => credits?.balance === 20);
    });

    it('until an explicit sign-out, after which nothing of the user is left', async () => {
      const { page, uid, email } = await someoneWith(10);
      await sendMessage(page, { type: 'authSignOut' });
      await browser.killWorker();
      expect(await session(page)).toEqual({ user: null, expired: false });
      const kept = await page.evaluate(async () => JSON.stringify(await chrome.storage.local.get()));
      expect(kept).not.toContain(uid);
      expect(kept).not.toContain(email);
      expect(await readSnapshot(page)).toMatchObject({ uid: null, paid: false, credits: null });
    });
  });

  describe('spends once', () => {
    it('when the worker is killed while the server has its request', async () => {
      const { page, uid } = await someoneWith(10);
      api.fail(/consume/, { kind: 'hold_answer' });
      const cutOff = consume(page).catch((error: unknown) => error);
      await vi.waitFor(async () => expect(await records.consumes(uid)).toBe(1), { timeout: 10_000 });
      await browser.killWorker();
      expect(await cutOff).toBeInstanceOf(Error);
      api.heal();

      expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
      expect(await records.consumes(uid)).toBe(1);
      expect(await consume(page)).toMatchObject({ ok: true, balance: 8 });
      expect(await records.balance(uid)).toBe(8);
    });

    it('when the answer is lost on its way', async () => {
      const { page, uid } = await someoneWith(10);
      api.fail(/consume/, { kind: 'lose_answer' }, 1);
      expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
      expect([await records.balance(uid), await records.consumes(uid)]).toEqual([9, 1]);
    });

    it('when the service is down for a moment', async () => {
      const { page, uid } = await someoneWith(10);
      api.fail(/consume/, { kind: 'answer', status: 503, body: {} }, 2);
      expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
      expect(await records.balance(uid)).toBe(9);
    });
  });

  describe('holds once, and takes or frees it', () => {
    const reserve = (page: Page, expiresInSeconds = 60): Promise<ReserveResult> => {
      const requestId = randomUUID();
      return sendMessage(page, { type: 'creditsReserve', feature: 'demo_deep', expiresInSeconds, requestId });
    };
    const settle = (page: Page, type: 'creditsConfirm' | 'creditsRelease', held: ReserveResult) =>
      sendMessage<SettleResult>(page, { type, reservation: held.ok ? held.reservation : '' });
    const balanceIs = (page: Page, balance: number) =>
      waitForSnapshot(page, ({ credits }) => credits?.balance === balance);

    it('though answers are lost and the worker dies between', async () => {
      const { page, uid } = await someoneWith(10);
      api.fail(/reserve/, { kind: 'lose_answer' }, 1);
      const held = await reserve(page);
      expect(held).toMatchObject({ ok: true, balance: 5 });
      await balanceIs(page, 5);
      expect(await records.balance(uid)).toBe(10);
      await browser.killWorker();
      api.fail(/confirm/, { kind: 'lose_answer' }, 1);
      expect(await settle(page, 'creditsConfirm', held)).toMatchObject({ ok: true, balance: 5 });
      expect(await settle(page, 'creditsRelease', held)).toMatchObject({
        ok: false,
        reason: 'reservation_confirmed',
      });
      expect(await records.balance(uid)).toBe(5);
      const released = await reserve(page);
      await balanceIs(page, 0);
      await settle(page, 'creditsRelease', released);
      await balanceIs(page, 5);
    });

    it('and what expires is back in every page by itself', async () => {
      const { page, uid } = await someoneWith(10);
      const held = await reserve(page, 2);
      expect(held).toMatchObject({ ok: true, balance: 5 });
      const expiresAt = (held.ok ? held.expiresAt : null) ?? 0;
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAt), { timeout: 10_000 });
      await balanceIs(page, 10);
      expect(await settle(page, 'creditsConfirm', held)).toMatchObject({
        ok: false,
        reason: 'reservation_expired',
      });
      expect(await records.balance(uid)).toBe(10);
    });
  });

  describe('offline', () => {
    it('denies a consume at once, queues nothing, and works again by itself', async () => {
      const { page, uid } = await someoneWith(10);
      await goOffline(page);
      const before = api.requests.length;
      const started = Date.now();
      expect(await consume(page)).toMatchObject({ ok: false, balance: 10, reason: 'offline' });
      expect(Date.now() - started).toBeLessThan(3_000);
      await browser.context.setOffline(false);
      await session(page);
      expect(api.requests.slice(before)).toEqual([]);
      expect(await records.balance(uid)).toBe(10);
      expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    });

    it('keeps the paid snapshot through a start of the worker', async () => {
      const { page, uid } = await someoneWith(10);
      const seen = await recordStates(page);
      // In this order: Playwright cannot tell a worker that is gone that there is no network.
      await goOffline(page);
      await browser.killWorker();
      expect((await session(page)).user?.uid).toBe(uid);
      expect(await consume(page)).toMatchObject({ ok: false, balance: 10, reason: 'offline' });
      await browser.context.setOffline(false);
      await records.metered(uid, 11);
      await waitForSnapshot(page, ({ credits }) => credits?.balance === 11);
      expect(new Set(await seen())).toEqual(new Set(['active']));
    });
  });

  it('shows what was bought while the worker was dead, without a flash of anything else', async () => {
    const { page, uid } = await someoneWith(10);
    const seen = await recordStates(page);
    await browser.killWorker();
    await records.metered(uid, 1_000);
    await session(page);
    await waitForSnapshot(page, ({ credits }) => credits?.balance === 1_000);
    expect(new Set(await seen())).toEqual(new Set(['active']));
  });

  it('gives the second of two users no byte of the first one’s snapshot', async () => {
    const first = await someoneWith(10);
    const bytes = await first.page.evaluate(() => {
      const seen: string[] = [];
      chrome.storage.onChanged.addListener((changes) =>
        seen.push(JSON.stringify(changes.entitlements?.newValue)),
      );
      return Object.assign(globalThis, { seen }).seen;
    });
    expect(bytes).toEqual([]);
    await sendMessage(first.page, { type: 'authSignOut' });
    const second = await someoneWith(20);
    await records.metered(first.uid, 555);
    await records.metered(second.uid, 21);
    await waitForSnapshot(second.page, ({ credits }) => credits?.balance === 21);
    const seen = await first.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.join());
    expect(seen).not.toContain(first.uid);
    expect(seen).not.toContain('555');
    expect(seen).toContain(second.uid);
  });

  it('shows each user who signs in right after another has signed out what is theirs, at once', async () => {
    const { page, uid, email } = await someoneWith(10);
    const limitMs = 10_000; // far over what it takes; a sign-in that found no connection took 44 s
    for (let time = 0; time < 5; time += 1) {
      await sendMessage(page, { type: 'authSignOut' });
      const guest = await sendMessage<AuthResult>(page, { type: 'authSignInAsGuest' });
      await waitForSnapshot(page, (now) => guest.ok && now.uid === guest.user?.uid, limitMs);
      await sendMessage(page, { type: 'authSignIn', email, password: PASSWORD });
      const isTheirs = ({ credits, ...now }: EntitlementSnapshot) =>
        now.uid === uid && credits?.balance === 10;
      await waitForSnapshot(page, isTheirs, limitMs);
    }
  });
});

/** Collects the billing state of every snapshot that a page is shown from now on; a missing one counts as `loading`. */
async function recordStates(page: Page): Promise<() => Promise<string[]>> {
  const now = (await readSnapshot(page))?.state ?? 'loading';
  await page.evaluate((first) => {
    const states = [first];
    chrome.storage.onChanged.addListener(({ entitlements }) => {
      if (entitlements !== undefined)
        states.push((entitlements.newValue as { state?: string })?.state ?? 'loading');
    });
    Object.assign(globalThis, { states });
  }, now as string);
  return () => page.evaluate(() => (globalThis as unknown as { states: string[] }).states);
}
