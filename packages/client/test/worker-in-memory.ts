import { PLAN } from '@extension-billing/contract/test/catalog';
import { deleteApp, getApps } from 'firebase/app';
import { expect, vi } from 'vitest';
import { createBillingBackground } from '../src/background/create-billing-background.ts';
import type { HostIdentity } from '../src/background/host-identity.ts';
import type { BillingMessages, BillingMessageType } from '../src/messages.ts';
import { aToken, authServiceThat, authStorage, refusal, renewal } from './auth-in-memory.ts';
import { type FakeStorage, fakeStorage } from './fake-storage-area.ts';
import { firestore } from './firestore-in-memory.ts';

export const ID = 'this-extension';
const OWN_PAGE = { id: ID, origin: `chrome-extension://${ID}` };
const CONFIG = {
  apiBaseUrl: 'https://api.example/api',
  firebase: { projectId: 'demo', apiKey: 'key' },
  returnOrigin: 'https://return.example',
};

/** An event of the browser, and the listeners that were there when the worker's module had run. */
function browserEvent() {
  const listeners: ((...args: never[]) => unknown)[] = [];
  return {
    addListener: (listener: (...args: never[]) => unknown) => listeners.push(listener),
    removeListener: (listener: (...args: never[]) => unknown) =>
      void (listeners.includes(listener) && listeners.splice(listeners.indexOf(listener), 1)),
    listeners,
  };
}

/** A worker that has just started, in a browser of its own. `answer` is the billing service's. */
export function start(
  answer: () => Response = () => new Response(null, { status: 503 }),
  {
    isSplitIncognito = false,
    remembered = {},
    identity,
    renewed,
    local = fakeStorage(),
    session = fakeStorage({ ...remembered }, 'session'),
  }: {
    isSplitIncognito?: boolean;
    remembered?: object;
    identity?: HostIdentity;
    /** Whose token the auth service renews; nobody's, where it is left out. */
    renewed?: string;
    local?: FakeStorage;
    session?: FakeStorage;
  } = {},
) {
  const asked = authServiceThat((path, body) => {
    if (path.startsWith('/api/')) return answer();
    if (path.endsWith('/token')) return renewed === undefined ? refusal('USER_NOT_FOUND') : renewal(renewed);
    const uid = body.email === undefined ? 'a-guest' : 'ada';
    if (path.endsWith(':lookup')) {
      const signedIn = JSON.parse(atob(String(body.idToken).split('.')[1] ?? '')).sub;
      return Response.json({ users: [{ localId: signedIn }] });
    }
    return Response.json({ localId: uid, idToken: aToken(uid), refreshToken: 'r', expiresIn: '3600' });
  });
  const events = {
    onMessage: browserEvent(),
    onConnect: browserEvent(),
    onMessageExternal: browserEvent(),
    onStartup: browserEvent(),
    onInstalled: browserEvent(),
    onAlarm: browserEvent(),
  };
  const { onAlarm, ...ofRuntime } = events;
  const alarms = { create: vi.fn(async () => {}), clear: vi.fn(async () => true), onAlarm };
  const tabs = {
    create: vi.fn(async () => ({ id: 1 })),
    onUpdated: browserEvent(),
    onRemoved: browserEvent(),
  };
  vi.stubGlobal('chrome', {
    runtime: {
      id: ID,
      getURL: (path: string) => `chrome-extension://${ID}/${path}`,
      getManifest: () => (isSplitIncognito ? { incognito: 'split' } : {}),
      ...ofRuntime,
    },
    extension: { inIncognitoContext: isSplitIncognito },
    storage: { local: local.area, session: session.area },
    alarms,
    tabs,
  });
  vi.stubGlobal('navigator', { onLine: true, userAgent: 'test' });
  const billing = createBillingBackground({ ...CONFIG, ...(identity && { identity }) });
  const message = events.onMessage.listeners[0] as (
    message: object,
    sender: object,
    reply: (reply: unknown) => void,
  ) => boolean;
  const ask = <T extends BillingMessageType>(type: T, request: BillingMessages[T]['request']) =>
    new Promise<BillingMessages[T]['reply']>((resolve) => {
      message({ ...request, type }, OWN_PAGE, resolve as (reply: unknown) => void);
    });
  const snapshot = () => local.peek('entitlements') as { uid: string | null; paid: boolean } | undefined;
  return { billing, ask, asked, events, alarms, tabs, local, session, snapshot };
}

/** The server's record of a user, as the listener brings it. */
export async function deliver(uid: string, data: object | undefined, fromCache = false): Promise<void> {
  await vi.waitFor(() => expect(firestore.listeners.has(uid)).toBe(true));
  firestore.listeners.get(uid)?.({ metadata: { fromCache }, data: () => data });
}
export const instant = (ms: number) => ({ toMillis: () => ms });
export const A_PLAN = {
  paid: true,
  plan: PLAN.monthly,
  status: 'active',
  customerId: 'cus_1',
  updatedAt: instant(5_000),
  currentPeriodEnd: instant(9e12),
};
export const ADA = { email: 'ada@example.test', password: 'secret' };

/** Ends the worker that runs, as the browser does: what is stored stays. */
export async function killWorker(): Promise<void> {
  firestore.listeners.clear();
  await Promise.all(getApps().map(deleteApp));
}

/** After a test: nothing stays. */
export async function endWorkers(): Promise<void> {
  vi.unstubAllGlobals();
  await killWorker();
  firestore.clear();
  authStorage.items.clear();
  authStorage.beforeRemoval = async () => {};
}
