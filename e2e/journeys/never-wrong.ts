import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sold } from '../../packages/cli/src/local/sold.ts';
import type { AuthResult, ReserveResult, SettleResult } from '../../packages/client/src/messages.ts';
import type { EntitlementSnapshot } from '../../packages/client/src/snapshot/snapshot.ts';
import { readSnapshot, sendMessage, waitForSnapshot } from '../browser.ts';
import type { BrowserKind, DrivenBrowser, Tab } from '../driver.ts';
import { consume, openAnyStage, PASSWORD, type Stage, session } from '../stage.ts';

/** The built extension against the suite, with a proxy before the auth service and one before the API. */
export function neverWrongIn(kind: BrowserKind): void {
  describe('the extension is never wrong', () => {
    let stage: Stage<DrivenBrowser>;

    beforeAll(async () => {
      stage = await openAnyStage(kind);
    });
    afterEach(async () => {
      await stage.browser().goOnline();
      // The next test starts with a worker that no earlier outage has taught to wait.
      await stage.clear();
    });
    afterAll(() => stage?.close());

    const goOffline = (page: Tab): Promise<void> => stage.browser().goOffline(() => session(page));

    describe('stays signed in', () => {
      it.each([
        [400, 'INVALID_ID_TOKEN'],
        [400, 'USER_NOT_FOUND'],
        [429, 'QUOTA_EXCEEDED'],
        [503, 'UNAVAILABLE'],
      ])('when the auth service answers %i %s at every start of the worker', async (status, message) => {
        const { page, uid } = await stage.someoneWith(10);
        stage.auth.fail(/.*/, { kind: 'answer', status, body: { error: { code: status, message } } });
        await stage.browser().killWorker();
        expect((await session(page)).user?.uid).toBe(uid);
        await stage.browser().killWorker();
        expect((await session(page)).user?.uid).toBe(uid);
        stage.auth.heal();
        await stage.browser().killWorker();
        expect(await session(page)).toMatchObject({ user: { uid }, expired: false });
        expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
      });

      it('when the browser restarts, and the last snapshot is there before any answer', async () => {
        const { uid } = await stage.someoneWith(10);
        stage.auth.fail(/.*/, { kind: 'refuse' });
        await stage.restartBrowser();
        const page = await stage.browser().open('options');
        expect(await readSnapshot(page)).toMatchObject({ uid, credits: { balance: 10 } });
        expect((await session(page)).user?.uid).toBe(uid);
        stage.auth.heal();
        await stage.records.metered(uid, 20);
        await waitForSnapshot(page, ({ credits }) => credits?.balance === 20);
      });

      it('until an explicit sign-out, after which nothing of the user is left', async () => {
        const { page, uid, email } = await stage.someoneWith(10);
        await sendMessage(page, { type: 'authSignOut' });
        await stage.browser().killWorker();
        expect(await session(page)).toEqual({ user: null, expired: false });
        const kept = await page.evaluate(async () => JSON.stringify(await chrome.storage.local.get()));
        expect(kept).not.toContain(uid);
        expect(kept).not.toContain(email);
        expect(await readSnapshot(page)).toMatchObject({ uid: null, paid: false, credits: null });
      });
    });

    describe('spends once', () => {
      it('when the worker is killed while the server has its request, and the page asks again for it', async () => {
        const { page, uid } = await stage.someoneWith(10);
        const press = { type: 'creditsConsume', feature: sold.feature, requestId: randomUUID() };
        stage.api.fail(/consume/, { kind: 'hold_answer' });
        const cutOff = sendMessage(page, press).catch((error: unknown) => error);
        await vi.waitFor(async () => expect(await stage.records.consumes(uid)).toBe(1), { timeout: 10_000 });
        await stage.browser().killWorker();
        expect(await cutOff).toBeInstanceOf(Error);
        stage.api.heal();

        expect(await sendMessage(page, press)).toMatchObject({ ok: true, balance: 9 });
        expect(await stage.records.consumes(uid)).toBe(1);
        expect(await consume(page)).toMatchObject({ ok: true, balance: 8 });
        expect(await stage.records.balance(uid)).toBe(8);
      });

      it('for 50 calls at once under one request id, though answers are lost and the worker dies', async () => {
        const { page, uid } = await stage.someoneWith(10);
        stage.api.fail(/consume/, { kind: 'lose_answer' }, 20);
        stage.api.fail(/consume/, { kind: 'hold_answer' }, 10);
        const press = { type: 'creditsConsume', feature: sold.feature, requestId: randomUUID() };
        const calls = page.evaluate(
          (message) =>
            Promise.all(
              Array.from({ length: 50 }, async () => {
                for (;;) {
                  const reply = await chrome.runtime.sendMessage(message).catch(() => undefined);
                  if (reply?.ok === true) return reply.balance;
                  await new Promise((resolve) => setTimeout(resolve, 100));
                }
              }),
            ),
          press,
        );
        await vi.waitFor(async () => expect(await stage.records.consumes(uid)).toBe(1), { timeout: 10_000 });
        await stage.browser().killWorker();
        stage.api.heal();
        expect(new Set(await calls)).toEqual(new Set([9]));
        expect([await stage.records.balance(uid), await stage.records.consumes(uid)]).toEqual([9, 1]);
      });

      it('when the answer is lost on its way', async () => {
        const { page, uid } = await stage.someoneWith(10);
        stage.api.fail(/consume/, { kind: 'lose_answer' }, 1);
        expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
        expect([await stage.records.balance(uid), await stage.records.consumes(uid)]).toEqual([9, 1]);
      });

      it('when the service is down for a moment', async () => {
        const { page, uid } = await stage.someoneWith(10);
        stage.api.fail(/consume/, { kind: 'answer', status: 503, body: {} }, 2);
        expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
        expect(await stage.records.balance(uid)).toBe(9);
      });
    });

    describe('holds once, and takes or frees it', () => {
      const reserve = (page: Tab, expiresInSeconds = 60): Promise<ReserveResult> => {
        const requestId = randomUUID();
        return sendMessage(page, {
          type: 'creditsReserve',
          feature: sold.dearFeature,
          expiresInSeconds,
          requestId,
        });
      };
      const settle = (page: Tab, type: 'creditsConfirm' | 'creditsRelease', held: ReserveResult) =>
        sendMessage<SettleResult>(page, { type, reservation: held.ok ? held.reservation : '' });
      const balanceIs = (page: Tab, balance: number) =>
        waitForSnapshot(page, ({ credits }) => credits?.balance === balance);

      it('though answers are lost and the worker dies between', async () => {
        const { page, uid } = await stage.someoneWith(10);
        stage.api.fail(/reserve/, { kind: 'lose_answer' }, 1);
        const held = await reserve(page);
        expect(held).toMatchObject({ ok: true, balance: 5 });
        await balanceIs(page, 5);
        expect(await stage.records.balance(uid)).toBe(10);
        await stage.browser().killWorker();
        stage.api.fail(/confirm/, { kind: 'lose_answer' }, 1);
        expect(await settle(page, 'creditsConfirm', held)).toMatchObject({ ok: true, balance: 5 });
        expect(await settle(page, 'creditsRelease', held)).toMatchObject({
          ok: false,
          reason: 'reservation_confirmed',
        });
        expect(await stage.records.balance(uid)).toBe(5);
        const released = await reserve(page);
        await balanceIs(page, 0);
        await settle(page, 'creditsRelease', released);
        await balanceIs(page, 5);
      });

      it('and what expires is back in every page by itself', async () => {
        const { page, uid } = await stage.someoneWith(10);
        const held = await reserve(page, 2);
        expect(held).toMatchObject({ ok: true, balance: 5 });
        const expiresAt = (held.ok ? held.expiresAt : null) ?? 0;
        await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAt), { timeout: 10_000 });
        await balanceIs(page, 10);
        expect(await settle(page, 'creditsConfirm', held)).toMatchObject({
          ok: false,
          reason: 'reservation_expired',
        });
        expect(await stage.records.balance(uid)).toBe(10);
      });
    });

    describe('offline', () => {
      it('denies a consume at once, queues nothing, and works again by itself', async () => {
        const { page, uid } = await stage.someoneWith(10);
        await goOffline(page);
        const before = stage.api.requests.length;
        const started = Date.now();
        expect(await consume(page)).toMatchObject({ ok: false, balance: 10, reason: 'offline' });
        expect(Date.now() - started).toBeLessThan(3_000);
        await stage.browser().goOnline();
        await session(page);
        expect(stage.api.requests.slice(before)).toEqual([]);
        expect(await stage.records.balance(uid)).toBe(10);
        expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
      });

      it('keeps the paid snapshot through a start of the worker', async () => {
        const { page, uid } = await stage.someoneWith(10);
        const seen = await recordStates(page);
        // In this order: Playwright cannot tell a worker that is gone that there is no network.
        await goOffline(page);
        await stage.browser().killWorker();
        expect((await session(page)).user?.uid).toBe(uid);
        expect(await consume(page)).toMatchObject({ ok: false, balance: 10, reason: 'offline' });
        await stage.browser().goOnline();
        await stage.records.metered(uid, 11);
        await waitForSnapshot(page, ({ credits }) => credits?.balance === 11);
        expect(new Set(await seen())).toEqual(new Set(['active']));
      });
    });

    it('shows what was bought while the worker was dead, without a flash of anything else', async () => {
      const { page, uid } = await stage.someoneWith(10);
      const seen = await recordStates(page);
      await stage.browser().killWorker();
      await stage.records.metered(uid, 1_000);
      await session(page);
      await waitForSnapshot(page, ({ credits }) => credits?.balance === 1_000);
      expect(new Set(await seen())).toEqual(new Set(['active']));
    });

    it('gives the second of two users no byte of the first one’s snapshot', async () => {
      const first = await stage.someoneWith(10);
      const bytes = await first.page.evaluate(() => {
        const seen: string[] = [];
        chrome.storage.onChanged.addListener((changes) =>
          seen.push(JSON.stringify(changes.entitlements?.newValue)),
        );
        return Object.assign(globalThis, { seen }).seen;
      });
      expect(bytes).toEqual([]);
      await sendMessage(first.page, { type: 'authSignOut' });
      const second = await stage.someoneWith(20);
      await stage.records.metered(first.uid, 555);
      await stage.records.metered(second.uid, 21);
      await waitForSnapshot(second.page, ({ credits }) => credits?.balance === 21);
      const seen = await first.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.join());
      expect(seen).not.toContain(first.uid);
      // With its name: a time or an id may have these digits in it.
      expect(seen).not.toContain('"balance":555');
      expect(seen).toContain(second.uid);
    });

    it('shows each user who signs in right after another has signed out what is theirs, at once', async () => {
      const { page, uid, email } = await stage.someoneWith(10);
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
}

/** Collects the billing state of every snapshot that a page is shown from now on; a missing one counts as `loading`. */
async function recordStates(page: Tab): Promise<() => Promise<string[]>> {
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
