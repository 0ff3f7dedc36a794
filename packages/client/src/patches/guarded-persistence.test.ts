import { indexedDBLocalPersistence, initializeAuth, signOut } from 'firebase/auth/web-extension';
import { afterEach, expect, it, vi } from 'vitest';
import {
  appWith,
  aToken,
  authServiceThat,
  authStorage,
  refusal,
  renewal,
} from '../../test/auth-in-memory.ts';
import { sessionUserOf } from '../background/session-memory.ts';
import { guardPersistence, readStoredUser, type UserStore, userKeyOf } from './guarded-persistence.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
afterEach(() => vi.unstubAllGlobals());

/** The SDK as it starts with a stored user. */
function start(user: { uid: string; isAnonymous?: boolean } = { uid: 'ada' }) {
  const asked = authServiceThat(() => refusal('INTERNAL', 503));
  const { app, storedUser } = appWith(user);
  const guard = guardPersistence('key', app.name, { where: 'disk', formerOf: async () => null });
  const auth = initializeAuth(app, { persistence: guard.persistence });
  /** Another tab signs this user in; null: signs out. */
  const storeElsewhere = (other: object | null): void => {
    const key = userKeyOf('key', app.name);
    if (other === null) authStorage.items.delete(key);
    else authStorage.items.set(key, other);
  };
  return { auth, guard, asked, storedUser, storeElsewhere };
}

it('is still needed: without it the SDK looks the user up at every start, and forgets one whom it is refused', async () => {
  const asked = authServiceThat(() => refusal('USER_NOT_FOUND'));
  const { app, storedUser } = appWith({ uid: 'ada' });
  await initializeAuth(app, { persistence: indexedDBLocalPersistence }).authStateReady();
  expect(asked).toHaveLength(1);
  expect(storedUser()).toBeNull();
});

it('starts the SDK with nobody, so that it looks nobody up, and then hands it the stored user', async () => {
  const { auth, guard, asked } = start();
  await auth.authStateReady();
  expect([auth.currentUser, asked]).toEqual([null, []]);
  await guard.restore();
  expect([auth.currentUser?.uid, asked]).toEqual(['ada', []]);
});

it('lets the SDK remove the user while a sign-out is permitted, and never else', async () => {
  const { auth, guard, storedUser } = start();
  await auth.authStateReady();
  await guard.restore();
  await signOut(auth);
  expect(auth.currentUser).toBeNull();
  expect(storedUser()).toMatchObject({ uid: 'ada' });
  await guard.restore();
  await guard.permitRemoval(() => signOut(auth));
  expect(storedUser()).toBeNull();
  await guard.restore();
  expect(auth.currentUser).toBeNull();
});

it('permits no removal after a sign-out that failed', async () => {
  const { auth, guard, storedUser } = start();
  await auth.authStateReady();
  await guard.restore();
  await expect(guard.permitRemoval(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await signOut(auth);
  expect(storedUser()).toMatchObject({ uid: 'ada' });
});

it.each([
  ['signed out', null],
  ['replaced by another user', { uid: 'grace' }],
])('brings back no user whom another tab has %s, when their token is renewed', async (_what, now) => {
  const { auth, guard, storedUser, storeElsewhere } = start();
  await auth.authStateReady();
  await guard.restore();
  storeElsewhere(now);
  authServiceThat(() => renewal('ada', { renewed: true }));
  await auth.currentUser?.getIdToken(true);
  expect(storedUser()).toEqual(now);
});

it('keeps the account that another tab has made of a guest, and has it here, when the guest’s token is renewed', async () => {
  const { auth, guard, storedUser, storeElsewhere } = start({ uid: 'ada', isAnonymous: true });
  await auth.authStateReady();
  await guard.restore();
  const stsTokenManager = {
    refreshToken: 'r',
    accessToken: aToken('ada'),
    expirationTime: Date.now() + 3_600_000,
  };
  const named = {
    ...(storedUser() as object),
    isAnonymous: false,
    email: 'ada@example.test',
    stsTokenManager,
  };
  storeElsewhere(named);
  authServiceThat(() => renewal('ada', { renewed: true }));
  await auth.currentUser?.getIdToken(true);
  expect(storedUser()).toEqual(named);
  await vi.waitFor(() =>
    expect(auth.currentUser).toMatchObject({ isAnonymous: false, email: 'ada@example.test' }),
  );
  expect(storedUser()).toMatchObject({ isAnonymous: false });
});

it('says who is stored before the SDK knows, and nothing but who it is', async () => {
  const { auth, guard } = start();
  await auth.authStateReady();
  expect(sessionUserOf(await guard.peek())).toEqual({
    uid: 'ada',
    email: 'ada@example.test',
    displayName: null,
    isAnonymous: false,
  });
  authStorage.items.clear();
  expect(await guard.peek()).toBeNull();
});

const APP = 'extension-billing';
const OLD = userKeyOf('key', '[DEFAULT]');
const NEW = userKeyOf('key', APP);
const ADA = { uid: 'ada', stsTokenManager: { refreshToken: 'r' } };

function aStore(
  users: Readonly<Record<string, unknown>>,
): UserStore & { readonly users: Map<string, unknown> } {
  const stored = new Map(Object.entries(users));
  return {
    users: stored,
    get: async (key) => stored.get(key) ?? null,
    set: async (key, value) => void stored.set(key, value),
    remove: async (key) => void stored.delete(key),
  };
}

it('keeps who was signed in before the app had a name, and moves them once', async () => {
  const store = aStore({ [OLD]: ADA });
  expect(await readStoredUser(store, 'key', APP, async () => 'ada')).toEqual(ADA);
  expect([...store.users]).toEqual([[NEW, ADA]]);
});

it('leaves the extension’s own user alone, whom billing never mirrored', async () => {
  const store = aStore({ [OLD]: { uid: 'host' } });
  for (const mirrored of [null, 'ada']) {
    expect(await readStoredUser(store, 'key', APP, async () => mirrored)).toBeNull();
  }
  expect([...store.users.keys()]).toEqual([OLD]);
});

it('reads billing’s own user, and looks no further', async () => {
  const mirrored = vi.fn(async () => 'host');
  const store = aStore({ [NEW]: ADA, [OLD]: { uid: 'host' } });
  expect(await readStoredUser(store, 'key', APP, mirrored)).toEqual(ADA);
  expect(mirrored).not.toHaveBeenCalled();
  expect(store.users.size).toBe(2);
});

it('finds nobody after a sign-out, also where the old user’s key was left behind', async () => {
  expect(await readStoredUser(aStore({ [OLD]: ADA }), 'key', APP, async () => null)).toBeNull();
  expect(await readStoredUser(aStore({}), 'key', APP, async () => 'ada')).toBeNull();
});
