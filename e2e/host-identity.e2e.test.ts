import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, defaultClientConditions } from 'vite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SOURCE_CONDITION } from '../packages/client/build/resolve-source.ts';
import type { AuthResult } from '../packages/client/src/messages.ts';
import { smallFirebase } from '../packages/client/src/patches/small-firebase.ts';
import { type ExtensionBrowser, launchExtension, sendMessage, waitForSnapshot } from './browser.ts';
import { type CustomerRecords, openCustomerRecords } from './customer-records.ts';
import { consume, session } from './stage.ts';

const SOURCE = fileURLToPath(new URL('./hosted-extension', import.meta.url));

describe('an extension that has accounts of its own, and hands in who is signed in', () => {
  let dist: string;
  let browser: ExtensionBrowser;
  let records: CustomerRecords;
  let page: Page;

  beforeAll(async () => {
    dist = await mkdtemp(join(tmpdir(), 'billing-hosted-'));
    await buildHosted(dist);
    records = openCustomerRecords();
    browser = await launchExtension({ dist });
    page = await browser.context.newPage();
    await page.goto(`chrome-extension://${browser.extensionId}/page.html`);
  });
  afterAll(async () => {
    await browser?.close();
    await records?.close();
    await rm(dist, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await set({ user: null, tokens: 'given' });
    await waitForSnapshot(page, ({ uid }) => uid === null);
  });

  const set = (values: object): Promise<void> =>
    page.evaluate((items) => chrome.storage.local.set(items), values);
  const someone = (): { uid: string; email: string } => {
    const uid = randomUUID();
    return { uid, email: `${uid}@host.test` };
  };
  /** Signs somebody in to the extension, who has this many credits. */
  async function signIn(balance: number): Promise<{ uid: string; email: string }> {
    const user = someone();
    await records.metered(user.uid, balance);
    await set({ user });
    await waitForSnapshot(page, ({ uid, credits }) => uid === user.uid && credits?.balance === balance);
    return user;
  }
  const shows = (text: string): Promise<void> => page.getByText(text).first().waitFor();
  const failure = () => page.getByTestId('host-failed');
  const hostsWayIn = () => page.getByRole('button', { name: 'Sign in with our own account' });

  it('shows and charges the account that it names, and offers no other way in or out', async () => {
    await hostsWayIn().waitFor();
    expect(await page.locator('input').count()).toBe(0);
    const { uid, email } = await signIn(10);
    await shows(email);
    expect(await hostsWayIn().count()).toBe(0);
    expect(await page.getByTestId('sign-out').count()).toBe(0);
    expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    expect(await records.balance(uid)).toBe(9);
    const refused = await sendMessage<AuthResult>(page, { type: 'authSignOut' });
    expect(refused).toMatchObject({ ok: false, code: 'host_signs_in' });
  });

  it('goes on after the death of the worker, and shows each change of the record within a blink', async () => {
    const { uid } = await signIn(10);
    await browser.killWorker();
    expect(await session(page)).toMatchObject({ user: { uid }, expired: false, host: 'ready' });
    expect(await consume(page)).toMatchObject({ ok: true, balance: 9 });
    await records.metered(uid, 50);
    await waitForSnapshot(page, ({ credits }) => credits?.balance === 50);
  });

  it('clears what is shown at once when its user signs out, and charges nobody then', async () => {
    const { uid, email } = await signIn(10);
    await shows(email);
    await set({ user: null });
    await hostsWayIn().waitFor();
    expect(await page.getByText(email).count()).toBe(0);
    expect(await consume(page)).toMatchObject({ ok: false, reason: 'signed_out' });
    expect(await records.balance(uid)).toBe(10);
  });

  it('lets nobody pay for somebody else, whoever signs in meanwhile', async () => {
    const ada = await signIn(10);
    const grace = someone();
    await records.metered(grace.uid, 10);
    const consumed = await page.evaluate(
      async ({ feature, user }) => {
        const clicked = chrome.runtime.sendMessage({ type: 'creditsConsume', feature, requestId: 'r' });
        await chrome.storage.local.set({ user });
        return clicked;
      },
      { feature: 'demo', user: grace },
    );
    await waitForSnapshot(page, ({ uid, credits }) => uid === grace.uid && credits !== null);
    await shows(grace.email);
    expect(await records.balance(grace.uid)).toBe(10);
    expect(await records.balance(ada.uid)).toBe(consumed.ok ? 9 : 10);
  });

  it('says so if its server returns no token, and charges nobody until it does', async () => {
    await signIn(10);
    const grace = someone();
    await records.metered(grace.uid, 10);
    await set({ user: grace, tokens: 'refused' });
    await failure().waitFor();
    expect(await consume(page)).toMatchObject({ ok: false, reason: 'unavailable' });
    await set({ tokens: 'given' });
    const isBack = async (): Promise<boolean> => (await session(page)).host === 'ready';
    await expect.poll(isBack, { timeout: 10_000 }).toBe(true);
    await waitForSnapshot(page, ({ uid, credits }) => uid === grace.uid && credits?.balance === 10);
    await failure().waitFor({ state: 'detached' });
  });

  it('shows a session that the auth service ended, with the extension’s own way in', async () => {
    const { uid, email } = await signIn(10);
    await setDisabled(uid, true);
    await browser.killWorker();
    await page.reload();
    await shows('Sign in again');
    await hostsWayIn().waitFor();
    await shows(email);
    expect(await consume(page)).toMatchObject({ ok: false, reason: 'signed_out' });
  });
});

async function buildHosted(outDir: string): Promise<void> {
  const { FIREBASE_AUTH_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST = '', BILLING_BASE_URL } = process.env;
  if (BILLING_BASE_URL === undefined) {
    throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
  }
  const [host = '', port = ''] = FIRESTORE_EMULATOR_HOST.split(':');
  const suite = {
    apiBaseUrl: BILLING_BASE_URL,
    projectId: process.env.GCLOUD_PROJECT,
    authEmulatorUrl: `http://${FIREBASE_AUTH_EMULATOR_HOST}`,
    firestoreEmulator: { host, port: Number(port) },
  };
  // The test runner sets it to "test", which would bring React's development build.
  vi.stubEnv('NODE_ENV', 'production');
  await build({
    configFile: false,
    root: SOURCE,
    logLevel: 'warn',
    plugins: [smallFirebase()],
    define: { __SUITE__: JSON.stringify(suite) },
    resolve: { conditions: [SOURCE_CONDITION, ...defaultClientConditions] },
    build: {
      target: 'chrome121',
      modulePreload: false,
      outDir,
      emptyOutDir: true,
      rolldownOptions: {
        input: [join(SOURCE, 'page.html'), join(SOURCE, 'background.ts')],
        output: { entryFileNames: '[name].js' },
      },
    },
  });
  vi.unstubAllEnvs();
  cpSync(join(SOURCE, 'manifest.json'), join(outDir, 'manifest.json'));
}

async function setDisabled(localId: string, disableUser: boolean): Promise<void> {
  const { FIREBASE_AUTH_EMULATOR_HOST, GCLOUD_PROJECT } = process.env;
  const response = await fetch(
    `http://${FIREBASE_AUTH_EMULATOR_HOST}/identitytoolkit.googleapis.com/v1/projects/${GCLOUD_PROJECT}/accounts:update`,
    {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify({ localId, disableUser }),
    },
  );
  if (!response.ok) throw new Error(`The auth emulator answered ${response.status}.`);
}
