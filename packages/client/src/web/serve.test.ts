import { PLAN } from '@extension-billing/contract/test/catalog';
import { deleteApp, getApps } from 'firebase/app';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { aToken, authServiceThat, authStorage } from '../../test/auth-in-memory.ts';
import { aSnapshot } from '../../test/factories.ts';
import { firestore } from '../../test/firestore-in-memory.ts';
import type { HostIdentity } from '../background/host-identity.ts';
import { hearHost } from './host.ts';
import { serveBilling } from './serve.ts';
import { createWebStorage } from './storage.ts';
import type { WebBillingConfig } from './web-config.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
vi.mock('firebase/firestore', async () => (await import('../../test/firestore-in-memory.ts')).sdk);

afterEach(async () => {
  vi.unstubAllGlobals();
  authStorage.items.clear();
  authStorage.fails = false;
  firestore.clear();
  await Promise.all(getApps().map(deleteApp));
});

const CONFIG: WebBillingConfig = {
  apiBaseUrl: 'https://api.example/api',
  firebase: { projectId: 'demo', apiKey: 'key' },
};
const HOSTED_PAGE = 'https://pay.example/session';
const SNAPSHOT = 'extension-billing:demo:local:entitlements';
const record = (creditsRemaining: number, ms: number) => ({
  paid: false,
  creditsRemaining,
  monthlyCredits: 0,
  updatedAt: { toMillis: () => ms },
});

/** One tab of an origin, and what its other tabs do. */
function aTab({ identity, isBlocked = false }: { identity?: HostIdentity; isBlocked?: boolean } = {}) {
  /** Made once: another one would be of another second. */
  const token = aToken('ada');
  const asked = authServiceThat((path, body) => {
    if (path === '/api/billing/checkout') return Response.json({ url: HOSTED_PAGE, sessionId: 'cs' });
    if (path.startsWith('/api/')) return new Response(null, { status: 503 });
    if (path.endsWith(':lookup')) {
      const { sub } = JSON.parse(atob(String(body.idToken).split('.')[1] ?? ''));
      return Response.json({ users: [{ localId: sub }] });
    }
    return Response.json({ localId: 'ada', idToken: token, refreshToken: 'r', expiresIn: '3600' });
  });
  vi.stubGlobal('navigator', { onLine: true, userAgent: 'test' });
  vi.stubGlobal('location', { origin: 'https://app.example' });
  const items = new Map<string, string>();
  const local = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    length: 0,
  } as Storage;
  const area = (): Storage => {
    if (isBlocked) throw new DOMException('no', 'SecurityError');
    return local;
  };
  authStorage.fails = isBlocked;
  const page = new EventTarget();
  const storage = createWebStorage({ local: area, session: area }, page as unknown as Window, 'demo');
  const opened: string[] = [];
  const host = identity === undefined ? null : hearHost(identity);
  const served = serveBilling(CONFIG, storage, host, (url) => void opened.push(url));
  onTestFinished(() => served.end());
  const shown = async (): Promise<unknown> => (await storage.local.get('entitlements')).entitlements;
  /** Another tab stores a snapshot, or removes it, and the browser says so. */
  const otherTabWrites = (snapshot: object | null): void => {
    const newValue = snapshot && JSON.stringify(snapshot);
    if (newValue === null) items.delete(SNAPSHOT);
    else items.set(SNAPSHOT, newValue);
    page.dispatchEvent(Object.assign(new Event('storage'), { key: SNAPSHOT, newValue, storageArea: local }));
  };
  const hello = () => served.answer({ type: 'billingHello' }, undefined);
  const payments = (): string[] => asked.filter((path) => path.startsWith('/api/'));
  return { ...served, token, opened, shown, otherTabWrites, hello, payments };
}
const signIn = { type: 'authSignIn', email: 'ada@example.test', password: 'secret' };
const consume = { type: 'creditsConsume', feature: 'demo', requestId: 'a-press' };

/** A host whose word the test says. */
function aHost() {
  let tell: Parameters<HostIdentity['onUser']>[0] = () => {};
  const identity: HostIdentity = {
    onUser(listener) {
      tell = listener;
    },
    idToken: async (uid) => aToken(uid, { aud: 'demo' }),
  };
  return { identity, say: (uid: string | null) => tell(uid === null ? null : { uid }) };
}

it('answers as a worker does, and opens one hosted page', async () => {
  firestore.documents.set('ada', { paid: false, updatedAt: { toMillis: () => 1_000 } });
  const { answer, idToken, hello, opened, token } = aTab();
  expect(await hello()).toEqual({ user: null, expired: false });
  expect(await idToken(undefined)).toBeNull();
  expect(await answer(signIn, undefined)).toMatchObject({ ok: true, user: { uid: 'ada' } });
  expect(await answer({ type: 'billingCheckout', lookupKey: PLAN.monthly }, 'ada')).toEqual({ ok: true });
  expect(opened).toEqual([HOSTED_PAGE]);
  expect(await idToken('ada')).toBe(token);
});

it('refuses what is no message, so that nobody waits for an answer', async () => {
  const { answer } = aTab();
  for (const message of [{}, { type: 'mine' }])
    expect(await answer(message, undefined)).toMatchObject({ error: { code: 'unknown_message' } });
});

it('shows what another tab has heard of the same user, and nothing older', async () => {
  firestore.documents.set('ada', record(10, 1_000));
  const { answer, shown, otherTabWrites } = aTab();
  await answer(signIn, undefined);
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ credits: { balance: 10 } }));
  const mine = (await shown()) as { credits: object };
  const with_ = (balance: number, updatedAt: number) => ({
    ...mine,
    credits: { ...mine.credits, balance },
    updatedAt,
  });
  otherTabWrites(with_(9, 2_000));
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ credits: { balance: 9 } }));
  otherTabWrites(with_(10, 1_500));
  otherTabWrites(with_(8, 3_000));
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ credits: { balance: 8 } }));
});

it('is signed out when another tab signs out, and gives nothing of the user any more', async () => {
  firestore.documents.set('ada', record(10, 1_000));
  const { answer, idToken, hello, shown, otherTabWrites } = aTab();
  await answer(signIn, undefined);
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ uid: 'ada' }));
  authStorage.items.clear();
  otherTabWrites(aSnapshot({ uid: null, credits: null }));
  await vi.waitFor(async () => expect(await hello()).toEqual({ user: null, expired: false }));
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ uid: null }));
  expect(await idToken('ada')).toBeNull();
  expect(await answer(consume, 'ada')).toMatchObject({ ok: false, reason: 'account_changed' });
  expect(authStorage.items.size).toBe(0);
});

it('has the user whom another tab has signed in, whatever it shows', async () => {
  const { answer, hello, shown, otherTabWrites, payments } = aTab();
  await answer(signIn, undefined);
  const [[key, ada] = []] = [...authStorage.items];
  const stsTokenManager = {
    refreshToken: 'r',
    accessToken: aToken('grace'),
    expirationTime: Date.now() + 3_600_000,
  };
  authStorage.items.set(String(key), { ...(ada as object), uid: 'grace', email: null, stsTokenManager });
  otherTabWrites(aSnapshot({ uid: 'grace' }));
  await vi.waitFor(async () => expect(await hello()).toMatchObject({ user: { uid: 'grace' } }));
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ uid: 'grace' }));
  expect(await answer(consume, 'ada')).toMatchObject({ ok: false, reason: 'account_changed' });
  expect(payments()).toEqual([]);
});

it('follows the host of its own tab, and no other tab’s', async () => {
  const { identity, say } = aHost();
  const { hello, idToken, answer, shown, otherTabWrites, payments } = aTab({ identity });
  firestore.documents.set('ada', record(10, 1_000));
  say('ada');
  expect(await hello()).toMatchObject({ user: { uid: 'ada' }, host: 'ready' });
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ uid: 'ada', credits: { balance: 10 } }));
  otherTabWrites(aSnapshot({ uid: 'grace', updatedAt: 9_000 }));
  otherTabWrites(null);
  expect(await shown()).toMatchObject({ uid: 'ada' });
  expect(await hello()).toMatchObject({ user: { uid: 'ada' } });

  const token = idToken('ada');
  say('grace');
  expect(await token).toBeNull();
  expect(JSON.parse(atob(String(await idToken('grace')).split('.')[1] ?? ''))).toMatchObject({
    sub: 'grace',
  });
  expect(await answer(consume, 'ada')).toMatchObject({ ok: false, reason: 'account_changed' });
  say(null);
  expect(await hello()).toMatchObject({ user: null });
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ uid: null }));
  expect(await answer(consume, 'grace')).toMatchObject({ ok: false, reason: 'account_changed' });
  expect(payments()).toEqual([]);
});

it('charges no press to the user whom the host names right after it', async () => {
  const { identity, say } = aHost();
  const { answer, payments } = aTab({ identity });
  say('ada');
  const requests = [consume, { ...consume, type: 'creditsReserve' }, { type: 'billingPortal' }];
  const answers = requests.map((request) => answer(request, 'ada'));
  say('grace');
  for (const each of answers) expect(JSON.stringify(await each)).toContain('account_changed');
  expect(payments()).toEqual([]);
});

it('signs in for as long as the page if the browser blocks site data', async () => {
  firestore.documents.set('ada', record(10, 1_000));
  const { answer, hello, shown } = aTab({ isBlocked: true });
  expect(await hello()).toEqual({ user: null, expired: false });
  expect(await answer(signIn, undefined)).toMatchObject({ ok: true, user: { uid: 'ada' } });
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ uid: 'ada', credits: { balance: 10 } }));
  expect(await hello()).toMatchObject({ user: { uid: 'ada' } });
});
