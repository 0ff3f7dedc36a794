import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { appWith, authServiceThat, refusal, renewal } from '../../test/auth-in-memory.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createAuthSession, refreshClaims } from './auth-session.ts';
import { createSessionNews } from './session-memory.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A worker of Ada's, whose renewed tokens say in turn that she has paid, or not, or what she is entitled to. */
async function worker(...claims: (boolean | readonly string[] | 'a 503')[]) {
  let given = 0;
  const asked = authServiceThat(() => {
    const said = claims[Math.min(given, claims.length - 1)];
    given += 1;
    if (said === 'a 503') return refusal('INTERNAL', 503);
    return renewal('ada', Array.isArray(said) ? { paid: true, entitlements: said } : { paid: said });
  });
  const { app } = appWith({ uid: 'ada' });
  const config = { apiBaseUrl: '', firebase: { projectId: 'demo', apiKey: 'key' } };
  const session = createAuthSession(
    app,
    config,
    createSessionNews(fakeStorage().area, async () => null),
  );
  await session.ready();
  return { session, renewals: () => asked.length };
}

const PAID = { paid: true, entitlements: [] };

it('renews the token once where it then says what the record says', async () => {
  const { session, renewals } = await worker(true);
  const done = refreshClaims(session, 'ada', PAID);
  await vi.runAllTimersAsync();
  await done;
  expect(renewals()).toBe(1);
  expect((await session.auth.currentUser?.getIdTokenResult())?.claims.paid).toBe(true);
});

it('renews again while the server has not set the claim yet, and through a failure', async () => {
  const { session, renewals } = await worker(false, 'a 503', true);
  const done = refreshClaims(session, 'ada', PAID);
  await vi.runAllTimersAsync();
  await done;
  expect(renewals()).toBe(3);
});

it('renews until the claim is gone, too, and gives up after four tries', async () => {
  const { session, renewals } = await worker(true);
  const done = refreshClaims(session, 'ada', { paid: false, entitlements: [] });
  await vi.runAllTimersAsync();
  await done;
  expect(renewals()).toBe(4);
});

it('renews nothing for whoever is not signed in', async () => {
  const { session, renewals } = await worker(true);
  const done = refreshClaims(session, 'grace', PAID);
  await vi.runAllTimersAsync();
  await done;
  expect(renewals()).toBe(0);
});

it('renews until the entitlements are the ones of the record, too', async () => {
  const { session, renewals } = await worker(true, ['basic'], ['basic', 'pro']);
  const done = refreshClaims(session, 'ada', { paid: true, entitlements: ['basic', 'pro'] });
  await vi.runAllTimersAsync();
  await done;
  expect(renewals()).toBe(3);
});
