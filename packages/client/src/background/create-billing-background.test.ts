import { PLAN } from '@extension-billing/contract/test/catalog';
import { deleteApp, getApps } from 'firebase/app';
import { afterEach, expect, it, vi } from 'vitest';
import { aToken, authStorage } from '../../test/auth-in-memory.ts';
import { aSnapshot } from '../../test/factories.ts';
import { type FakeStorage, fakeStorage } from '../../test/fake-storage-area.ts';
import { firestore } from '../../test/firestore-in-memory.ts';
import { A_PLAN, ADA, deliver, endWorkers, killWorker, start } from '../../test/worker-in-memory.ts';
import type { HostIdentity } from './host-identity.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
vi.mock('firebase/firestore', async () => (await import('../../test/firestore-in-memory.ts')).sdk);

afterEach(endWorkers);

it('has its listeners when the module has run, for Chrome hands events to no later ones', () => {
  const { events } = start();
  for (const event of Object.values(events)) expect(event.listeners).toHaveLength(1);
});

it('says that nobody is signed in, once that is certain', async () => {
  const { ask, snapshot } = start();
  expect(await ask('billingHello', {})).toEqual({ user: null, expired: false });
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: null, paid: false }));
});

it('has pages show no mail link that has ended', async () => {
  const link = { email: 'grace@example.test', leaveGuest: false };
  const { ask, session } = start(undefined, { remembered: { billingSignInLink: { ...link, askedAt: 1 } } });
  await ask('billingHello', {});
  await vi.waitFor(() => expect(session.peek('billingSignInLink')).toBeUndefined());
});

it('copies the record of whoever signs in, and forgets it at the sign-out', async () => {
  const { ask, snapshot } = start();
  expect(await ask('authSignIn', ADA)).toMatchObject({ ok: true, user: { uid: 'ada' } });
  await deliver('ada', undefined, true);
  expect(snapshot()?.paid).not.toBe(true);
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: 'ada', paid: true }));
  expect(await ask('authSignOut', {})).toEqual({ ok: true, user: null });
  expect(snapshot()).toMatchObject({ uid: null, paid: false });
  expect(firestore.listeners.size).toBe(0);
});

it('remembers what offers cost whoever is signed in, and nothing of them after a sign-out, a deletion, or another sign-in', async () => {
  const price = { lookupKey: PLAN.monthly, amount: 800, currency: 'usd' };
  const { ask, session } = start(() => Response.json({ prices: [price], deleted: true }));
  // Slow, so that only an answer that waits for it comes after it.
  const { remove } = session.area;
  const slowly = async (key: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await remove(key);
  };
  Object.assign(session.area, { remove: slowly });
  const remember = async (uid: string): Promise<void> => {
    expect(await ask('billingPrices', {})).toEqual({ ok: true, uid, prices: [price] });
    expect(session.peek('billingPrices')).toMatchObject({ uid });
  };
  await ask('authSignInAsGuest', {});
  await deliver('a-guest', undefined);
  await remember('a-guest');
  await ask('authSignIn', { ...ADA, leaveGuest: true });
  expect(session.peek('billingPrices')).toBeUndefined();

  await remember('ada');
  await ask('authSignOut', {});
  expect(session.peek('billingPrices')).toBeUndefined();

  await ask('authSignInAsGuest', {});
  await remember('a-guest');
  expect(await ask('accountDelete', {})).toEqual({ ok: true, user: null });
  expect(session.peek('billingPrices')).toBeUndefined();
});

it('keeps the account of the incognito half of a split extension apart, and none from window to window', async () => {
  const uid = 'of-a-closed-window';
  const remembered = {
    entitlementsIncognito: aSnapshot({ uid }),
    billingPricesIncognito: { uid, currency: null, at: 1_000, prices: [] },
    billingPrices: { uid: 'of-the-other-half', currency: null, at: 1_000, prices: [] },
  };
  const { ask, local, session } = start(undefined, { isSplitIncognito: true, remembered });
  await ask('billingHello', {});
  await vi.waitFor(() => expect(session.peek('entitlementsIncognito')).toMatchObject({ uid: null }));
  await vi.waitFor(() => expect(session.peek('billingPricesIncognito')).toBeUndefined());
  expect(session.peek('billingPrices')).toMatchObject({ uid: 'of-the-other-half' });
  await ask('authSignIn', ADA);
  await deliver('ada', A_PLAN);
  await vi.waitFor(() =>
    expect(session.peek('entitlementsIncognito')).toMatchObject({ uid: 'ada', paid: true }),
  );
  expect(session.peek('billingSessionIncognito')).toMatchObject({ user: { uid: 'ada' } });
  expect(local.peek('entitlements')).toBeUndefined();
});

it('renews the token as soon as the record says that something was paid, for whoever reads its claims', async () => {
  const { ask, asked, snapshot } = start();
  await ask('authSignIn', ADA);
  await deliver('ada', undefined);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ paid: false }));
  expect(asked).not.toContain('/v1/token');
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(asked).toContain('/v1/token'));
});

it('puts right at the next hello what others wrote over the snapshot, or cleared', async () => {
  const { ask, local, snapshot } = start();
  await ask('authSignIn', ADA);
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ paid: true }));
  const good = local.peek('entitlements');
  for (const bad of [{ ...(good as object), paid: false, state: 'free', updatedAt: 9e15 }, undefined]) {
    await (bad === undefined ? local.area.remove('entitlements') : local.area.set({ entitlements: bad }));
    await ask('billingHello', {});
    await vi.waitFor(() =>
      expect(local.peek('entitlements')).toMatchObject({ paid: true, updatedAt: 5_000 }),
    );
  }
});

it('keeps what a user is shown when the auth service drops them, and says that the session has ended', async () => {
  const checkout = { lookupKey: PLAN.monthly, openedAt: 1_000, before: aSnapshot({ uid: 'ada' }) };
  const { ask, snapshot, session } = start(() => Response.json({}, { status: 401 }));
  await ask('authSignIn', ADA);
  await session.area.set({ billingOpenCheckout: checkout });
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ paid: true }));
  expect(await ask('creditsConsume', { feature: 'demo' })).toMatchObject({ ok: false, reason: 'signed_out' });
  await vi.waitFor(() => expect(firestore.listeners.size).toBe(0));
  expect(await ask('billingHello', {})).toMatchObject({ user: { uid: 'ada' }, expired: true });
  expect(snapshot()).toMatchObject({ uid: 'ada', paid: true });
  await killWorker();
  await new Promise((resolve) => setTimeout(resolve));
  expect(session.peek('billingOpenCheckout')).toEqual(checkout);
});

it('lets no guest go who bought something, by the server’s word, also with the storage cleared', async () => {
  const { ask, local, snapshot } = start();
  await ask('authSignInAsGuest', {});
  await deliver('a-guest', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ paid: true }));
  await local.area.remove('entitlements');
  expect(await ask('authSignOut', {})).toMatchObject({ ok: false, code: 'guest_has_purchases' });
  expect(await ask('authSignIn', ADA)).toMatchObject({ ok: false, code: 'guest_has_purchases' });
  expect(await ask('billingHello', {})).toMatchObject({ user: { uid: 'a-guest' } });
  expect(await ask('authSignOut', { discard: true })).toEqual({ ok: true, user: null });
});

it('takes the answer about another user who has come meanwhile for none about a guest', async () => {
  const { ask } = start();
  await ask('authSignInAsGuest', {});
  const left = ask('authSignOut', {});
  await ask('authSignIn', { ...ADA, leaveGuest: true });
  await deliver('ada', undefined);
  expect(await left).toMatchObject({ ok: false, code: 'guest_unchecked' });
  expect(await ask('billingHello', {})).toMatchObject({ user: { uid: 'ada' } });
});

it('lets a guest go of whom the server has no record', async () => {
  const { ask } = start();
  await ask('authSignInAsGuest', {});
  const left = ask('authSignOut', {});
  await deliver('a-guest', undefined);
  expect(await left).toEqual({ ok: true, user: null });
});

it('mirrors a consume’s balance into the snapshot of the user who paid', async () => {
  const { billing, ask, snapshot } = start(() =>
    Response.json({
      ok: true,
      balance: 9,
      allowance: 9,
      packCredits: 0,
      cost: 1,
      replayed: false,
      updatedAt: 6_000,
    }),
  );
  await ask('authSignIn', ADA);
  await deliver('ada', { ...A_PLAN, creditsRemaining: 10, creditsAllowance: 10, packCreditsRemaining: 0 });
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ credits: { balance: 10 } }));
  expect(await billing.consume({ feature: 'demo' })).toEqual({ ok: true, balance: 9, allowance: 9 });
  expect(snapshot()).toMatchObject({ credits: { balance: 9 } });
});

it('shows a new user the free credits that they will have, with the first thing that it shows', async () => {
  let balance = 5;
  const { ask, asked, local } = start(() => Response.json({ balance, allowance: balance }));
  const shown: unknown[] = [];
  local.storage.onChanged.addListener((changes) => {
    const after = changes.entitlements?.newValue as { readonly credits: unknown } | undefined;
    shown.push(after?.credits);
  });
  const credits = () => (local.peek('entitlements') as { credits: unknown } | undefined)?.credits;
  const balances = () => asked.filter((path) => path === '/api/credits/balance').length;
  await ask('billingHello', { free: true });
  await ask('authSignInAsGuest', {});
  shown.length = 0;
  await deliver('a-guest', undefined);
  await vi.waitFor(() => expect(credits()).toMatchObject({ balance: 5, expected: true }));
  expect(shown.filter((each) => each === null)).toEqual([]);
  await ask('billingHello', { free: true });
  await ask('billingHello', {});
  expect(balances()).toBe(1);

  balance = 20;
  await ask('authSignIn', { ...ADA, leaveGuest: true });
  await deliver('ada', undefined);
  await vi.waitFor(() => expect(credits()).toMatchObject({ balance: 20, expected: true }));
  await ask('billingHello', { free: false });
  await vi.waitFor(() => expect(credits()).toBeNull());
  expect(balances()).toBe(2);
});

it('asks for no free credits where no catalogue gives any, nor for who has credits', async () => {
  const { ask, asked, snapshot } = start(() => Response.json({ balance: 20, allowance: 20 }));
  await ask('billingHello', { free: false });
  await ask('authSignIn', ADA);
  await deliver('ada', undefined);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ credits: null }));
  await deliver('ada', { ...A_PLAN, creditsRemaining: 0, creditsAllowance: 0, packCreditsRemaining: 0 });
  await ask('billingHello', { free: true });
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ credits: { balance: 0 } }));
  expect(asked).not.toContain('/api/credits/balance');
});

it('looks for a purchase while a checkout is open, and stops once it has come', async () => {
  const { ask, alarms, tabs, session } = start(() =>
    Response.json({ url: 'https://checkout.example/c/1', sessionId: 'cs_1' }),
  );
  await ask('authSignIn', ADA);
  await deliver('ada', undefined);
  expect(await ask('billingCheckout', { lookupKey: PLAN.monthly })).toEqual({ ok: true });
  expect(tabs.create).toHaveBeenCalledWith({ url: 'https://checkout.example/c/1' });
  expect(alarms.create).toHaveBeenCalledWith('billing-purchase', expect.anything());
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(alarms.clear).toHaveBeenCalledWith('billing-purchase'));
  expect(session.peek('billingPurchaseWatch')).toBeUndefined();
});

/** A worker whose writes stop at a number of them: it is dead from then on. */
function mortalWorker() {
  let left = Number.POSITIVE_INFINITY;
  const died = Promise.withResolvers<void>();
  const write = (): Promise<void> => {
    if (left > 0) {
      left -= 1;
      return Promise.resolve();
    }
    died.resolve();
    return new Promise(() => {});
  };
  const mortal = (storage: FakeStorage): FakeStorage => ({
    ...storage,
    area: {
      ...storage.area,
      set: (items: Record<string, unknown>) => write().then(() => storage.area.set(items)),
      remove: (key: string) => write().then(() => storage.area.remove(key)),
    } as FakeStorage['area'],
  });
  return {
    mortal,
    write,
    died: died.promise.then(() => 'died' as const),
    dieAfter(writes: number): void {
      left = writes;
    },
  };
}

it.each([
  ['a sign-out', 'authSignOut', 'ada'],
  ['a deletion', 'accountDelete', 'a-guest'],
] as const)(
  '%s that has begun is finished by the next worker, wherever the first one died',
  async (_what, leave, uid) => {
    const ends: string[] = [];
    for (let writes = 0; ends.at(-1) !== 'done'; writes++) {
      const [local, session] = [fakeStorage(), fakeStorage({}, 'session')];
      const { mortal, write, died, dieAfter } = mortalWorker();
      authStorage.beforeRemoval = write;
      const first = start(() => Response.json({ deleted: true }), {
        local: mortal(local),
        session: mortal(session),
      });
      await (uid === 'ada' ? first.ask('authSignIn', ADA) : first.ask('authSignInAsGuest', {}));
      await deliver(uid, A_PLAN);
      await vi.waitFor(() => expect(local.peek('entitlements')).toMatchObject({ uid, paid: true }));
      dieAfter(writes);
      ends.push(await Promise.race([first.ask(leave, { discard: true }).then(() => 'done' as const), died]));
      await killWorker();

      authStorage.beforeRemoval = async () => {};
      const next = start(undefined, { local, session, renewed: uid });
      const { user } = await next.ask('billingHello', {});
      expect(user?.uid, `after ${writes} writes`).toBe(writes === 0 ? uid : undefined);
      await vi.waitFor(() => expect(next.snapshot()?.uid).toBe(writes === 0 ? uid : null));
      expect(JSON.stringify([...authStorage.items]).includes(uid)).toBe(writes === 0);
      expect(local.peek('billingSigningOut')).toBeUndefined();
      await endWorkers();
    }
    // The mark, the snapshot, the login, and what is kept of the user beside them.
    expect(ends.length).toBeGreaterThan(4);
  },
);

it('signs out a user whose login is gone without a sign-out, so that pages ask for one', async () => {
  const first = start();
  await first.ask('authSignIn', ADA);
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(first.snapshot()).toMatchObject({ uid: 'ada', paid: true }));
  await killWorker();
  authStorage.items.clear();
  const { ask, snapshot } = start(undefined, { local: first.local, session: first.session });
  expect(await ask('billingHello', {})).toEqual({ user: null, expired: false });
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: null, paid: false }));
});

it.each(['hangs', 'fails'] as const)('keeps what is shown while the storage of the login %s', async (how) => {
  const first = start();
  await first.ask('authSignIn', ADA);
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(first.snapshot()).toMatchObject({ uid: 'ada', paid: true }));
  await killWorker();
  authStorage[how] = true;
  const { ask, snapshot } = start(undefined, { local: first.local, session: first.session });
  expect(await ask('billingHello', {})).toMatchObject({ user: { uid: 'ada' }, unreadable: true });
  expect(snapshot()).toMatchObject({ uid: 'ada', paid: true });
  authStorage[how] = false;
});

it('remembers an open checkout before its tab takes the focus, which closes a popup, and only of who is signed in', async () => {
  const { ask, tabs, session } = start(() =>
    Response.json({ url: 'https://checkout.example/c/1', sessionId: 'cs_1' }),
  );
  const remembered = () => session.peek('billingOpenCheckout');
  await ask('authSignIn', ADA);
  await deliver('ada', undefined);
  let whileOpening: unknown;
  tabs.create.mockImplementationOnce(async () => {
    whileOpening = remembered();
    return { id: 1 };
  });
  await ask('billingCheckout', { lookupKey: PLAN.monthly });
  const checkout = { lookupKey: PLAN.monthly, before: expect.objectContaining({ uid: 'ada', paid: false }) };
  expect(whileOpening).toMatchObject(checkout);
  expect(remembered()).toMatchObject(checkout);
  await ask('authSignOut', {});
  expect(remembered()).toBeUndefined();

  await ask('authSignIn', ADA);
  await deliver('ada', undefined);
  tabs.create.mockRejectedValueOnce(new Error('No current window'));
  vi.spyOn(console, 'error').mockImplementationOnce(() => {});
  expect(await ask('billingCheckout', { lookupKey: PLAN.monthly })).toMatchObject({ error: {} });
  expect(remembered()).toBeUndefined();
});

it('ends the alarm that started it once the time to look for a purchase is over, and leaves others alone', async () => {
  const { ask, alarms, events } = start();
  await ask('authSignIn', ADA);
  await deliver('ada', undefined);
  const ring = events.onAlarm.listeners[0] as (alarm: { name: string }) => void;
  ring({ name: 'of-the-host' });
  ring({ name: 'billing-purchase' });
  await vi.waitFor(() => expect(alarms.clear).toHaveBeenCalledExactlyOnceWith('billing-purchase'));
});

it('gives the rest of the worker the signed-in user’s token, and nobody’s where nobody is', async () => {
  const { ask, billing } = start();
  expect(await billing.idToken()).toBeNull();
  await ask('authSignIn', ADA);
  const token = await billing.idToken();
  expect(JSON.parse(atob(String(token).split('.')[1] ?? ''))).toMatchObject({ sub: 'ada' });
  await ask('authSignOut', {});
  expect(await billing.idToken()).toBeNull();
});

/** A worker whose extension has accounts itself, and how it names who is signed in. */
function startHosted(answer?: () => Response) {
  let say: (user: { uid: string } | null) => void = () => {};
  const identity: HostIdentity = {
    onUser(tell) {
      say = tell;
    },
    idToken: async (uid) => aToken(uid, { aud: 'demo' }),
  };
  const started = start(answer, { identity });
  return { ...started, say: (uid: string | null) => say(uid === null ? null : { uid }) };
}

it('shows the plan of whom the host names, and of nobody from the moment at which they sign out there', async () => {
  const { ask, say, snapshot } = startHosted();
  say('a-guest');
  await deliver('a-guest', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: 'a-guest', paid: true }));
  expect(await ask('billingHello', {})).toMatchObject({ user: { uid: 'a-guest' }, host: 'ready' });
  say(null);
  expect(firestore.listeners.size).toBe(0);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: null, paid: false }));
  expect(await ask('billingHello', {})).toEqual({ user: null, expired: false, host: 'ready' });
  expect(await ask('creditsConsume', { feature: 'demo' })).toMatchObject({ ok: false, reason: 'signed_out' });
});

it('asks the service for nothing in the name of whom the host has replaced', async () => {
  const { ask, asked, say, snapshot } = startHosted();
  say('a-guest');
  await deliver('a-guest', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: 'a-guest', paid: true }));
  const before = asked.filter((path) => path.startsWith('/api/')).length;
  const consumed = ask('creditsConsume', { feature: 'demo' });
  say('ada');
  expect(await consumed).toMatchObject({ ok: false, reason: 'account_changed' });
  expect(asked.filter((path) => path.startsWith('/api/'))).toHaveLength(before);
  await vi.waitFor(() => expect(snapshot()?.uid).not.toBe('a-guest'));
});

it('follows the user whom the host names, and keeps nothing of the one before', async () => {
  const { say, session, snapshot, ask } = startHosted();
  say('ada');
  await ask('billingHello', {});
  await deliver('ada', A_PLAN);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: 'ada', paid: true }));
  await session.area.set({
    billingPrices: { uid: 'ada', currency: null, at: 1_000, prices: [] },
    billingOpenCheckout: { lookupKey: PLAN.monthly, openedAt: 1_000, before: aSnapshot({ uid: 'ada' }) },
  });
  say('grace');
  expect([...firestore.listeners.keys()]).not.toContain('ada');
  await deliver('grace', undefined);
  await vi.waitFor(() => expect(snapshot()).toMatchObject({ uid: 'grace', paid: false }));
  for (const key of ['billingPrices', 'billingOpenCheckout'])
    await vi.waitFor(() => expect(session.peek(key)).toBeUndefined());
});

it('leaves signing in and out, and the account itself, to the host', async () => {
  const { ask, asked, say } = startHosted();
  say('a-guest');
  await deliver('a-guest', A_PLAN);
  asked.length = 0;
  const refused = { ok: false, code: 'host_signs_in', message: expect.any(String) };
  const requests = [
    ask('authSignIn', ADA),
    ask('authSignUp', ADA),
    ask('authSignInWithGoogle', {}),
    ask('authSignInAsGuest', {}),
    ask('authResetPassword', ADA),
    ask('accountDelete', {}),
    ask('authSignOut', { discard: true }),
  ];
  for (const request of requests) expect(await request).toEqual(refused);
  expect(asked).toEqual([]);
});

it('leaves alone who was signed in with billing itself, for the day on which the host has no accounts any more', async () => {
  const before = start();
  await before.ask('authSignInAsGuest', {});
  const stored = structuredClone([...authStorage.items]);
  expect(stored).not.toEqual([]);
  await Promise.all(getApps().map(deleteApp));
  const { ask, say } = startHosted();
  say(null);
  expect(await ask('billingHello', {})).toMatchObject({ user: null });
  expect([...authStorage.items]).toEqual(stored);
});
