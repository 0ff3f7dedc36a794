import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { sold } from '../packages/cli/src/local/sold.ts';
import type { AuthResult, ConsumeResult, SessionReply } from '../packages/client/src/messages.ts';
import { type ExtensionBrowser, launchExtension, sendMessage, waitForSnapshot } from './browser.ts';
import { buildExtension } from './build-extension.ts';
import { type CustomerRecords, openCustomerRecords } from './customer-records.ts';
import type { BrowserKind, DrivenBrowser, DriveOptions } from './driver.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { launchFirefox } from './firefox/launch.ts';
import { recordRendersIn } from './recorded-renders.ts';

export const PASSWORD = randomUUID();

/** The built extension in a browser that records every render, with a proxy before the auth service and the API. */
export interface Stage<Browser extends DrivenBrowser = ExtensionBrowser> {
  readonly records: CustomerRecords;
  readonly auth: FaultProxy;
  readonly api: FaultProxy;
  readonly dist: string;
  /** The browser that runs now: another one after a restart. */
  browser(): Browser;
  restartBrowser(): Promise<void>;
  /** A new user with a page open, on the metered plan with this balance. */
  someoneWith(balance: number): Promise<{ page: Opened<Browser>; uid: string; email: string }>;
  /** No faults, no pages, no worker. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

type Opened<Browser extends DrivenBrowser> = Awaited<ReturnType<Browser['open']>>;

/** The stage in Chromium. */
export const openStage = (): Promise<Stage> =>
  openStageIn('chromium', async (options) => {
    const launched = await launchExtension(options);
    await recordRendersIn(launched.context);
    return launched;
  });

/** The stage in either browser, for what runs in both. */
export const openAnyStage = (kind: BrowserKind): Promise<Stage<DrivenBrowser>> =>
  kind === 'chromium' ? openStage() : openStageIn(kind, launchFirefox);

async function openStageIn<Browser extends DrivenBrowser>(
  kind: BrowserKind,
  launch: (options: DriveOptions) => Promise<Browser>,
): Promise<Stage<Browser>> {
  const { BILLING_BASE_URL = '', FIREBASE_AUTH_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST = '' } = process.env;
  const { RETURN_BASE_URL = '' } = process.env;
  if (BILLING_BASE_URL === '')
    throw new Error('The suite is not up. Run this with "npx vitest run --project e2e".');
  const records = openCustomerRecords();
  const auth = await startFaultProxy(`http://${FIREBASE_AUTH_EMULATOR_HOST}`);
  const api = await startFaultProxy(BILLING_BASE_URL);
  const dist = await mkdtemp(join(tmpdir(), 'billing-stage-dist-'));
  const userDataDir = await mkdtemp(join(tmpdir(), 'billing-stage-profile-'));
  const variables = {
    VITE_API_BASE_URL: `${api.url}${new URL(BILLING_BASE_URL).pathname}`.replace(/\/$/, ''),
    VITE_AUTH_EMULATOR_URL: auth.url,
    VITE_FIRESTORE_EMULATOR: FIRESTORE_EMULATOR_HOST,
    VITE_RETURN_ORIGIN: RETURN_BASE_URL,
  };
  await buildExtension(dist, variables, kind);
  let browser = await launch({ dist, userDataDir });

  return {
    records,
    auth,
    api,
    dist,
    browser: () => browser,
    async restartBrowser() {
      await browser.close();
      browser = await launch({ dist, userDataDir });
    },
    async someoneWith(balance) {
      const page = (await browser.open('options')) as Opened<Browser>;
      const email = `${randomUUID()}@example.test`;
      const signedUp = await sendMessage<AuthResult>(page, { type: 'authSignUp', email, password: PASSWORD });
      if (!signedUp.ok || signedUp.user === null) throw new Error(`No account: ${JSON.stringify(signedUp)}`);
      const { uid } = signedUp.user;
      await records.metered(uid, balance);
      await waitForSnapshot(
        page,
        (snapshot) => snapshot.uid === uid && snapshot.credits?.balance === balance,
      );
      return { page, uid, email };
    },
    async clear() {
      auth.heal();
      api.heal();
      await browser.closeTabs();
      await browser.killWorker();
    },
    async close() {
      await browser.close();
      await Promise.all([records.close(), auth.close(), api.close()]);
      await Promise.all([dist, userDataDir].map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

export const consume = (page: Pick<Page, 'evaluate'>): Promise<ConsumeResult> =>
  sendMessage(page, { type: 'creditsConsume', feature: sold.feature, requestId: randomUUID() });
export const session = (page: Pick<Page, 'evaluate'>): Promise<SessionReply> =>
  sendMessage(page, { type: 'billingHello' });
