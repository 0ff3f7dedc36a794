import { PLAN } from '@extension-billing/contract/test/catalog';
import { deleteApp, getApps } from 'firebase/app';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { aToken, authServiceThat, authStorage } from '../../test/auth-in-memory.ts';
import { firestore } from '../../test/firestore-in-memory.ts';
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
  firestore.clear();
  await Promise.all(getApps().map(deleteApp));
});

const CONFIG: WebBillingConfig = {
  apiBaseUrl: 'https://api.example/api',
  firebase: { projectId: 'demo', apiKey: 'key' },
};
const HOSTED_PAGE = 'https://pay.example/session';
/** Made once: another one would be of another second. */
const TOKEN = aToken('ada');

/** An origin's storage, and a way to serve its tabs. */
function anOrigin(config: WebBillingConfig = CONFIG) {
  authServiceThat((path) => {
    if (path === '/api/billing/checkout') return Response.json({ url: HOSTED_PAGE, sessionId: 'cs' });
    const uid = 'ada';
    if (path.endsWith(':lookup')) return Response.json({ users: [{ localId: uid }] });
    return Response.json({ localId: uid, idToken: TOKEN, refreshToken: 'r', expiresIn: '3600' });
  });
  vi.stubGlobal('navigator', { onLine: true, userAgent: 'test' });
  const items = new Map<string, string>();
  const area = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  } as Storage;
  const storage = createWebStorage(() => area, new EventTarget() as unknown as Window, 'demo');
  const opened: string[][] = [];
  const serve = () => {
    const served = serveBilling(config, storage, (tab, url) => void opened.push([tab, url]));
    onTestFinished(() => served.end());
    return served;
  };
  return { serve, opened, items };
}
const signIn = { type: 'authSignIn', email: 'ada@example.test', password: 'secret' };

it('answers as a worker does, and opens a hosted page in the tab that asked', async () => {
  const { serve, opened } = anOrigin();
  firestore.documents.set('ada', { paid: false, updatedAt: { toMillis: () => 1_000 } });
  const { answer } = serve();
  expect(await answer({ type: 'billingHello' }, 'a')).toEqual({ user: null, expired: false });
  expect(await answer({ type: 'webIdToken' }, 'a')).toEqual({ idToken: null });
  expect(await answer(signIn, 'a')).toMatchObject({ ok: true, user: { uid: 'ada' } });
  expect(await answer({ type: 'billingCheckout', lookupKey: PLAN.monthly }, 'b')).toEqual({ ok: true });
  expect(opened).toEqual([['b', HOSTED_PAGE]]);
  expect(await answer({ type: 'webIdToken' }, 'a')).toEqual({ idToken: TOKEN });
});

it('refuses what is no message, so that nobody waits for an answer', async () => {
  const { answer } = anOrigin().serve();
  for (const message of [{}, { type: 'mine' }])
    expect(await answer(message, 'a')).toMatchObject({ error: { code: 'unknown_message' } });
});

it('changes nothing once another tab serves, which has the same user', async () => {
  const { serve, items } = anOrigin();
  const first = serve();
  await first.answer(signIn, 'a');
  first.end();
  const before = new Map(items);
  await first.answer({ type: 'authSignOut' }, 'a').catch(() => {});
  expect(items).toEqual(before);

  const second = serve();
  await vi.waitFor(async () =>
    expect(await second.answer({ type: 'billingHello' }, 'a')).toMatchObject({ user: { uid: 'ada' } }),
  );
});

it('hears the host only while it serves', async () => {
  const tells: ((user: object | null) => void)[] = [];
  const onUser = (tell: (user: object | null) => void) => tells.push(tell);
  const { serve, items } = anOrigin({ ...CONFIG, identity: { kind: 'firebase', onUser } });
  const first = serve();
  first.end();
  const second = serve();
  expect(tells).toHaveLength(2);
  tells[1]?.(null);
  expect(await second.answer({ type: 'billingHello' }, 'a')).toMatchObject({ user: null });
  const before = new Map(items);
  tells[0]?.({ uid: 'somebody-else' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(items).toEqual(before);
  expect(getApps()).toHaveLength(1);
});

it('listens at once where the tab that served was closed: who looks at this one has said hello before', async () => {
  const { serve, items } = anOrigin();
  firestore.documents.set('ada', { paid: false, updatedAt: { toMillis: () => 1_000 } });
  const first = serve();
  await first.answer(signIn, 'a');
  await vi.waitFor(() => expect([...items.values()].join()).toContain('"updatedAt":1000'));
  first.end();
  await vi.waitFor(() => expect(firestore.listeners.size).toBe(0));
  serve();
  await vi.waitFor(() => expect([...firestore.listeners.keys()].sort()).toEqual(['ada', 'current']));
});
