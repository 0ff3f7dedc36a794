import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sold } from '../packages/cli/src/local/sold.ts';
import type { AuthResult } from '../packages/client/src/messages.ts';
import { readSnapshot, type Surface, sendMessage, waitForSnapshot } from './browser.ts';
import { balanceShownAt, forgetRenders, statesShown } from './recorded-renders.ts';
import { consume, openStage, PASSWORD, type Stage, session } from './stage.ts';

const HOUR_MS = 3_600_000;
const SURFACES = ['popup', 'side-panel', 'options'] as const satisfies readonly Surface[];

/** Every test ends by looking at each thing that was ever rendered: somebody who paid must never see "free". */
describe('no render of any page is wrong', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.close());

  const open = (surface: Surface): Promise<Page> => stage.browser().open(surface);
  async function openAll(): Promise<Page[]> {
    const pages: Page[] = [];
    for (const surface of SURFACES) pages.push(await open(surface));
    return pages;
  }
  async function showOnly(pages: readonly Page[], state: string): Promise<void> {
    for (const page of pages) expect(await statesShown(page), page.url()).toEqual([state]);
  }

  it('when the worker is killed again and again between a page’s consumes', async () => {
    const { uid } = await stage.someoneWith(10);
    const pages = await openAll();
    for (const left of [9, 8, 7]) {
      await stage.browser().killWorker();
      expect(await consume(pages[0] as Page)).toMatchObject({ ok: true, balance: left });
      for (const page of pages) await balanceShownAt(page, left);
    }
    expect([await stage.records.balance(uid), await stage.records.consumes(uid)]).toEqual([7, 3]);
    await showOnly(pages, 'active');
  });

  it('when the worker dies under a press of a button: charged once, and the page says so', async () => {
    const { uid } = await stage.someoneWith(10);
    const page = await open('popup');
    await balanceShownAt(page, 10);
    stage.api.fail(/consume/, { kind: 'hold_answer' }, 1);
    await page.click(`[data-testid="run-${sold.feature}"]`);
    await vi.waitFor(async () => expect(await stage.records.consumes(uid)).toBe(1), 10_000);
    await stage.browser().killWorker();
    await page.getByTestId('toast').filter({ hasText: '9' }).waitFor();
    await balanceShownAt(page, 9);
    expect([await stage.records.balance(uid), await stage.records.consumes(uid)]).toEqual([9, 1]);
    await showOnly([page], 'active');
  });

  it('when the auth service and the API both fail at a start, in every way', async () => {
    const { uid } = await stage.someoneWith(10);
    for (const status of [400, 429, 503]) {
      const answer = { kind: 'answer', status, body: { error: { code: status, message: 'X' } } } as const;
      stage.auth.fail(/.*/, answer);
      stage.api.fail(/.*/, { kind: 'refuse' });
      await stage.browser().killWorker();
      const page = await open('popup');
      expect((await session(page)).user?.uid).toBe(uid);
      await showOnly([page], 'active');
      stage.auth.heal();
      stage.api.heal();
    }
  });

  it('when the token has expired: it is renewed and the consume goes through', async () => {
    await stage.someoneWith(10);
    const page = await open('popup');
    await expireStoredToken(page);
    // Before the worker dies: the page's own hello may start the next one at once, which renews the token.
    const before = stage.auth.requests.length;
    await stage.browser().killWorker();
    expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    expect(stage.auth.requests.slice(before).map(({ path }) => path)).toContainEqual(
      expect.stringMatching(/securetoken.*\/token/),
    );
    await balanceShownAt(page, 9);
    await showOnly([page], 'active');
  });

  it('when the token has expired and cannot be renewed for now: denied, and still signed in', async () => {
    const { uid } = await stage.someoneWith(10);
    const page = await open('popup');
    await expireStoredToken(page);
    // Before the worker dies: the page's own hello may start the next one at once, which would renew the token.
    const down = { error: { code: 503, message: 'UNAVAILABLE' } };
    stage.auth.fail(/token/, { kind: 'answer', status: 503, body: down });
    await stage.browser().killWorker();
    expect(await consume(page)).toMatchObject({ ok: false, reason: 'unavailable', balance: 10 });
    expect(await session(page)).toMatchObject({ user: { uid }, expired: false });
    stage.auth.heal();
    expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    await showOnly([page], 'active');
  });

  it.each([
    ['ahead', 25 * HOUR_MS],
    ['behind', -25 * HOUR_MS],
  ])('when the machine’s clock is a day %s', async (_, skew) => {
    const { uid } = await stage.someoneWith(10);
    await stage.browser().killWorker();
    const page = await stage.browser().context.newPage();
    await page.addInitScript(shiftClock, skew);
    await page.goto(`chrome-extension://${stage.browser().extensionId}/src/demo/popup/index.html`);
    await (await stage.browser().worker()).evaluate(shiftClock, skew);
    // By the worker's clock the page has not been heard of for a day: else it says so with its next hello, in 20 seconds.
    await session(page);
    expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    await stage.records.metered(uid, 20);
    await balanceShownAt(page, 20);
    expect(await consume(page)).toMatchObject({ ok: true, balance: 19 });
    await showOnly([page], 'active');
  });

  it('in two windows at once: both spend, once each, and show the same', async () => {
    const { page, uid } = await stage.someoneWith(10);
    const opened = stage.browser().context.waitForEvent('page');
    await page.evaluate(async () => {
      await chrome.windows.create({ url: chrome.runtime.getURL('src/demo/popup/index.html') });
    });
    const other = await opened;
    await other.waitForSelector('[data-testid="balance-value"]');
    const own = await open('popup');
    const answers = await Promise.all([own, other, own, other].map(consume));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    for (const window of [own, other]) await balanceShownAt(window, 6);
    expect([await stage.records.balance(uid), await stage.records.consumes(uid)]).toEqual([6, 4]);
    await showOnly([own], 'active');
  });

  it('when one window signs out: every surface asks for a sign-in, and nothing of the user is left', async () => {
    const { page, uid, email } = await stage.someoneWith(10);
    const pages = await openAll();
    for (const surface of pages) await balanceShownAt(surface, 10);
    await sendMessage(page, { type: 'authSignOut' });
    for (const surface of pages) await surface.waitForSelector('[data-testid="sign-in-email"]');
    for (const surface of pages) {
      expect((await statesShown(surface)).filter((state) => state !== 'loading')).toEqual([
        'active',
        'sign_in',
      ]);
      const words = await surface.textContent('body');
      expect(words).not.toContain(email);
    }
    const kept = await page.evaluate(async () =>
      JSON.stringify([await chrome.storage.local.get(), await chrome.storage.session.get()]),
    );
    expect(kept).not.toContain(uid);

    await stage.browser().killWorker();
    const popup = pages[0] as Page;
    await forgetRenders(popup);
    const back = await sendMessage<AuthResult>(popup, { type: 'authSignIn', email, password: PASSWORD });
    expect(back).toMatchObject({ ok: true, user: { uid } });
    await balanceShownAt(popup, 10);
    expect(await statesShown(popup)).not.toContain('free');
  });

  it('when the browser restarts without a network', async () => {
    const { uid } = await stage.someoneWith(10);
    stage.auth.fail(/.*/, { kind: 'refuse' });
    stage.api.fail(/.*/, { kind: 'refuse' });
    await stage.restartBrowser();
    const page = await open('popup');
    expect((await session(page)).user?.uid).toBe(uid);
    await showOnly([page], 'active');
  });

  it('when the extension is updated', async () => {
    const { page, uid } = await stage.someoneWith(10);
    const file = join(stage.dist, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...manifest, version: '0.2.0' }));
    const gone = page.waitForEvent('close');
    await page.evaluate(() => chrome.runtime.reload()).catch(() => {}); // the page may be gone before it answers
    await gone;
    const reopened = await vi.waitFor(async () => {
      const popup = await open('popup').catch(() => undefined);
      if (popup === undefined) throw new Error('The extension is not back yet.');
      return popup;
    }, 20_000);
    expect(await reopened.evaluate(() => chrome.runtime.getManifest().version)).toBe('0.2.0');
    expect((await session(reopened)).user?.uid).toBe(uid);
    await stage.records.metered(uid, 30);
    await waitForSnapshot(reopened, ({ credits }) => credits?.balance === 30);
    await showOnly([reopened], 'active');
    expect(await readSnapshot(reopened)).toMatchObject({ uid, paid: true });
  });
});

/** Runs in a page or a worker: every clock that the extension reads, moved. */
function shiftClock(by: number): void {
  const real = Date.now.bind(Date);
  Date.now = () => real() + by;
}

/** Makes the stored ID token one that ended an hour ago, as after a night. */
async function expireStoredToken(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('firebaseLocalStorageDb');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const store = opening.result
            .transaction('firebaseLocalStorage', 'readwrite')
            .objectStore('firebaseLocalStorage');
          const reading = store.getAll();
          reading.onsuccess = () => {
            for (const row of reading.result) {
              row.value.stsTokenManager.expirationTime = Date.now() - 3_600_000;
              store.put(row);
            }
            store.transaction.oncomplete = () => {
              opening.result.close();
              resolve();
            };
          };
        };
      }),
  );
}
