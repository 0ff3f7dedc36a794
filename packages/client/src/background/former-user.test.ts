import { expect, it, vi } from 'vitest';
import { readStoredUser, type UserStore, userKeyOf } from './former-user.ts';

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
