import { initializeAuth, signOut } from 'firebase/auth/web-extension';
import { afterEach, expect, it, vi } from 'vitest';
import { appWith, authServiceThat, authStorage, refusal } from '../../test/auth-in-memory.ts';
import { guardPersistence } from './guarded-persistence.ts';

vi.mock('firebase/auth/web-extension', async () => {
  const { sdkWithStorageInMemory } = await import('../../test/auth-in-memory.ts');
  return sdkWithStorageInMemory();
});
afterEach(() => vi.unstubAllGlobals());

/** The SDK as it starts with a stored user. */
function start() {
  const asked = authServiceThat(() => refusal('INTERNAL', 503));
  const { app, storedUser } = appWith({ uid: 'ada' });
  const guard = guardPersistence('key', app.name, async () => null);
  const auth = initializeAuth(app, { persistence: guard.persistence });
  return { auth, guard, asked, storedUser };
}

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

it('says who is stored before the SDK knows, and nothing but who it is', async () => {
  const { auth, guard } = start();
  await auth.authStateReady();
  expect(await guard.peek()).toEqual({
    uid: 'ada',
    email: 'ada@example.test',
    displayName: null,
    isAnonymous: false,
  });
  authStorage.items.clear();
  expect(await guard.peek()).toBeNull();
});
