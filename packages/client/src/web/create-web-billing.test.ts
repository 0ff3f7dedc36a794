import { afterEach, expect, it, vi } from 'vitest';
import { aSnapshot } from '../../test/factories.ts';
import type { HostUser } from '../background/host-identity.ts';
import { pageBrowser } from '../page-browser.ts';

const CONFIG = { apiBaseUrl: 'https://api.example/api', firebase: { projectId: 'demo', apiKey: 'key' } };
const SNAPSHOT = 'extension-billing:demo:local:entitlements';
const serve = vi.hoisted(() => ({ load: vi.fn() }));
vi.mock('./serve.ts', () => ({
  serveBilling: (...args: unknown[]) => serve.load(...args),
}));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.resetModules();
  serve.load.mockReset();
  globalThis.extensionBillingPage = undefined;
});

function inAPage(): void {
  const blocked = (): never => {
    throw new DOMException('no', 'SecurityError');
  };
  vi.stubGlobal('document', { title: 'A page' });
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('isSecureContext', true);
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(globalThis, name, { configurable: true, get: blocked });
}
async function create(config: object = {}) {
  const { createWebBilling } = await import('./create-web-billing.ts');
  return createWebBilling({ ...CONFIG, ...config });
}

it('can be called during server rendering, where everything shows as loading', async () => {
  const billing = await create({ identity: { onUser: () => expect.unreachable(), idToken: () => {} } });
  expect(await billing.idToken()).toBeNull();
  expect(pageBrowser().runtime.getManifest()).toEqual({ name: '' });
  expect(await pageBrowser().storage.local.get('entitlements')).toEqual({});
  expect(await import('../exports/web.ts')).toHaveProperty('createWebBilling');
});

it('sends each request for the user who was there at the press, also before its code is loaded', async () => {
  inAPage();
  let tell: (user: HostUser | null) => void = () => {};
  const answer = vi.fn(async () => ({ ok: true }));
  const idToken = vi.fn(async () => null);
  serve.load.mockReturnValue({ answer, idToken });
  const billing = await create({
    identity: { onUser: (listener: typeof tell) => (tell = listener), idToken: async () => null },
  });
  const sendMessage = (message: object) => pageBrowser().askBackground?.(message, false);
  const early = sendMessage({ type: 'early' });
  tell({ uid: 'ada' });
  const adas = [sendMessage({ type: 'adas' }), billing.idToken()];
  tell({ uid: 'grace' });
  await Promise.all([early, ...adas]);
  tell(null);
  await sendMessage({ type: 'nobodys' });
  expect(answer.mock.calls).toEqual([
    [{ type: 'early' }, undefined],
    [{ type: 'adas' }, 'ada'],
    [{ type: 'nobodys' }, null],
  ]);
  expect(idToken).toHaveBeenCalledExactlyOnceWith('ada');
});

it('shows no other user’s snapshot from the moment the host has spoken, also before its code is loaded', async () => {
  inAPage();
  const adas = JSON.stringify(aSnapshot({ uid: 'ada' }));
  const items = new Map([[SNAPSHOT, adas]]);
  const local = {
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => void items.delete(key),
  };
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get: () => local });
  let tell: (user: HostUser | null) => void = () => {};
  await create({
    identity: { onUser: (listener: typeof tell) => (tell = listener), idToken: async () => null },
  });
  const shown = async () => (await pageBrowser().storage.local.get('entitlements')).entitlements;
  expect(await shown()).toMatchObject({ uid: 'ada' });
  tell({ uid: 'ada' });
  expect(await shown()).toMatchObject({ uid: 'ada' });
  tell({ uid: 'grace' });
  expect(await shown()).toBeUndefined();
  // A tab in which Ada is signed in.
  const event = Object.assign(new Event('storage'), { key: SNAPSHOT, newValue: adas, storageArea: local });
  window.dispatchEvent(event);
  expect(await shown()).toBeUndefined();
});

it('refuses within a bounded time if its code can’t be loaded, and tries again at the next request only', async () => {
  inAPage();
  const error = vi.spyOn(console, 'error').mockReturnValue();
  serve.load.mockImplementation(() => {
    throw new TypeError('no network');
  });
  await create();
  const sendMessage = (message: object) => pageBrowser().askBackground?.(message, false);
  expect(await sendMessage({ type: 'x' })).toMatchObject({ error: { code: 'internal' } });
  expect([serve.load.mock.calls.length, error.mock.calls.length]).toEqual([1, 1]);
  serve.load.mockReturnValue({ answer: async () => ({ ok: true }) });
  expect(await sendMessage({ type: 'x' })).toEqual({ ok: true });
});
