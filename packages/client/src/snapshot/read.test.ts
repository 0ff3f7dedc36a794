import { expect, it } from 'vitest';
import { aSnapshot } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createSnapshotStore } from './read.ts';
import type { EntitlementSnapshot } from './snapshot.ts';

it('knows nothing until the storage was read, then the last snapshot', async () => {
  const { storage } = fakeStorage({ entitlements: aSnapshot() });
  const store = createSnapshotStore(storage);
  expect(store.get()).toBeNull();
  await store.loaded;
  expect(store.get()).toEqual(aSnapshot());
});

it('gives the same object until it changes, as useSyncExternalStore needs', async () => {
  const { storage, area } = fakeStorage({ entitlements: aSnapshot() });
  const store = createSnapshotStore(storage);
  await store.loaded;
  const first = store.get();
  await area.set({ somethingElse: 1 });
  expect(store.get()).toBe(first);
});

it('tells its listeners of every change until they leave', async () => {
  const { storage, area } = fakeStorage();
  const store = createSnapshotStore(storage);
  await store.loaded;
  const heard: (EntitlementSnapshot | null)[] = [];
  const leave = store.subscribe((snapshot) => heard.push(snapshot));
  await area.set({ entitlements: aSnapshot({ updatedAt: 2 }) });
  await area.remove('entitlements');
  leave();
  await area.set({ entitlements: aSnapshot({ updatedAt: 3 }) });
  expect(heard.map((snapshot) => snapshot?.updatedAt ?? null)).toEqual([2, null]);
});

it('does not let a slow first read undo a change that was reported meanwhile', async () => {
  const { storage, area } = fakeStorage({ entitlements: aSnapshot({ updatedAt: 1 }) });
  const slow = Promise.withResolvers<Record<string, unknown>>();
  const local = { ...storage.local, get: () => slow.promise };
  const store = createSnapshotStore({ ...storage, local } as unknown as typeof chrome.storage);
  await area.set({ entitlements: aSnapshot({ updatedAt: 2 }) });
  slow.resolve({ entitlements: aSnapshot({ updatedAt: 1 }) });
  await store.loaded;
  expect(store.get()?.updatedAt).toBe(2);
});

it('starts the worker where what is stored is too old to go by, and only there', async () => {
  for (const [contactAt, wakes] of [
    [Date.now() - 40 * 86_400_000, 1],
    [Date.now(), 0],
  ] as const) {
    const { storage } = fakeStorage({ entitlements: aSnapshot({ contactAt, currentPeriodEnd: null }) });
    let woken = 0;
    const wake = (): void => {
      woken += 1;
    };
    const store = createSnapshotStore(storage, { wake });
    await store.loaded;
    expect(woken).toBe(wakes);
  }
});

it('asks the worker to write the snapshot again as soon as it is removed', async () => {
  const { storage, area } = fakeStorage({ entitlements: aSnapshot({ contactAt: Date.now() }) });
  let woken = 0;
  const wake = (): void => {
    woken += 1;
  };
  const store = createSnapshotStore(storage, { wake });
  await store.loaded;
  await area.remove('entitlements');
  expect([store.get(), woken]).toEqual([null, 1]);
});

it.each([undefined, null, 'text', {}, { ...aSnapshot(), credits: 3 }])(
  'reads %j as nothing known',
  async (value) => {
    const { storage } = fakeStorage({ entitlements: value });
    const store = createSnapshotStore(storage);
    await store.loaded;
    expect(store.get()).toBeNull();
  },
);
