import { PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { aRecord, aSnapshot, someCredits } from '../../test/factories.ts';
import { type FakeStorage, fakeStorage } from '../../test/fake-storage-area.ts';
import { createSnapshotStore } from './read.ts';
import type { EntitlementSnapshot } from './snapshot.ts';
import { createSnapshotWriter, type SnapshotWriter } from './write.ts';

async function writerFor(
  uid: string,
  stored?: EntitlementSnapshot,
): Promise<{ writer: SnapshotWriter; storage: FakeStorage; stored: () => EntitlementSnapshot }> {
  const storage = fakeStorage(stored === undefined ? {} : { entitlements: stored });
  let clock = 2_000;
  const writer = createSnapshotWriter(storage.area, () => clock++);
  await writer.begin(uid);
  return { writer, storage, stored: () => storage.peek('entitlements') as EntitlementSnapshot };
}

const balanceOf = (balance: number) => ({ balance, allowance: balance, packCredits: 0 });

it('stores the record of the user who is signed in', async () => {
  const { writer, stored } = await writerFor('ada');
  await writer.record('ada', aRecord({ creditsRemaining: 41 }));
  expect(stored()).toMatchObject({ uid: 'ada', credits: { balance: 41 } });
});

it.each([
  ['an older one, as after a restored backup', aSnapshot({ updatedAt: 2_000 })],
  ['one of no time that a record can have', aSnapshot({ updatedAt: 9e15 })],
  ['one that gives a lifetime', aSnapshot({ updatedAt: 9e15, state: 'lifetime', plan: PLAN.lifetime })],
])('replaces what is stored by the server’s word: %s', async (_what, snapshot) => {
  const { writer, stored } = await writerFor('ada', snapshot);
  await writer.record('ada', aRecord({ paid: false, status: null, updatedAt: 1_999 }));
  expect(stored()).toMatchObject({ paid: false, state: 'free', updatedAt: 1_999 });
});

it('believes a record that was restored from a backup also while it listens', async () => {
  const { writer, stored } = await writerFor('ada');
  await writer.record('ada', aRecord({ updatedAt: 9_000 }));
  await writer.record('ada', aRecord({ updatedAt: 3_000, creditsRemaining: 7 }));
  expect(stored()).toMatchObject({ updatedAt: 3_000, credits: { balance: 7 } });
});

it('takes a consume’s balance over a stored instant that no record can have', async () => {
  const { writer, stored } = await writerFor('ada', aSnapshot({ updatedAt: 9e15 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(41), updatedAt: 1_500 });
  expect(stored()).toMatchObject({ updatedAt: 1_500, credits: { balance: 41 } });
});

it('undoes what others write or clear, with the next message', async () => {
  const { writer, storage, stored } = await writerFor('ada');
  await writer.record('ada', aRecord());
  const good = stored();
  for (const bad of [{ ...good, updatedAt: 9e15, state: 'lifetime' }, { tier: 'gold' }, undefined]) {
    await (bad === undefined ? storage.area.remove('entitlements') : storage.area.set({ entitlements: bad }));
    await writer.restore();
    expect(stored()).toEqual(good);
  }
  await writer.signOut();
  await storage.area.set({ entitlements: good });
  await writer.restore();
  expect(stored().uid).toBeNull();
});

it('knows when the listener has missed what a consume was answered', async () => {
  const storage = fakeStorage({ entitlements: aSnapshot({ updatedAt: 1_000 }) });
  let clock = 2_000;
  const writer = createSnapshotWriter(storage.area, () => clock);
  await writer.begin('ada');
  writer.listening();
  await writer.balance({ uid: 'ada', credits: balanceOf(5), updatedAt: 1_500 });
  expect(writer.isBehind(1_499)).toBe(false);
  clock = 12_000;
  expect([writer.isBehind(1_499), writer.isBehind(1_500)]).toEqual([true, false]);
  writer.listening();
  expect(writer.isBehind(1_499)).toBe(false);
  await writer.record('ada', aRecord({ updatedAt: 1_499, creditsRemaining: 6 }));
  expect((await writer.current())?.credits?.balance).toBe(6);
});

it('believes the server when it says that the record is gone', async () => {
  const { writer, stored } = await writerFor('ada', aSnapshot({ updatedAt: 2_000 }));
  await writer.record('ada', null);
  expect(stored()).toMatchObject({ uid: 'ada', state: 'free', credits: null });
});

it('drops the late write of a user who has gone', async () => {
  const { writer, storage } = await writerFor('ada');
  const late = writer.record('ada', aRecord({ updatedAt: 9_999 }));
  await writer.begin('grace');
  await late;
  await writer.record('ada', aRecord({ updatedAt: 10_000 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(1), updatedAt: 10_001 });
  expect(storage.peek('entitlements')).toBeUndefined();
});

it('takes no balance of one user for another', async () => {
  const { writer, stored } = await writerFor('grace');
  await writer.record('grace', aRecord({ creditsRemaining: 7, updatedAt: 1_000 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(1), updatedAt: 9_999 });
  expect(stored()).toMatchObject({ uid: 'grace', updatedAt: 1_000, credits: { balance: 7 } });
});

it('counts what a reservation holds by its answers, until the record says it', async () => {
  const { writer, stored } = await writerFor('ada');
  await writer.record('ada', aRecord({ creditsRemaining: 10, updatedAt: 1_000 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(5), updatedAt: 1_001, holds: 5 });
  expect(stored()?.credits).toMatchObject({ balance: 5, held: 5 });
  await writer.balance({ uid: 'ada', credits: balanceOf(10), updatedAt: 1_002 });
  expect(stored()?.credits).not.toHaveProperty('held');
});

it('removes another user’s snapshot before the sign-in is done', async () => {
  const { storage } = await writerFor('grace', aSnapshot({ uid: 'ada' }));
  expect(storage.peek('entitlements')).toBeUndefined();
});

it('keeps the snapshot of the same user at a sign-in', async () => {
  const { stored } = await writerFor('ada', aSnapshot());
  expect(stored()).toEqual(aSnapshot());
});

it('holds nothing of the user after a sign-out, whatever arrives later', async () => {
  const { writer, stored } = await writerFor('ada', aSnapshot());
  await writer.signOut();
  await writer.record('ada', aRecord({ updatedAt: 9_999 }));
  expect(stored()).toMatchObject({ uid: null, paid: false, credits: null });
});

it('says that nobody is signed in, whoever’s snapshot is stored, unless somebody has signed in since', async () => {
  for (const items of [{}, { entitlements: aSnapshot() }]) {
    const { area, peek } = fakeStorage(items);
    await createSnapshotWriter(area, () => 1).nobody();
    expect(peek('entitlements')).toMatchObject({ uid: null, paid: false });
  }
  const { writer, stored } = await writerFor('ada', aSnapshot());
  await writer.nobody();
  expect(stored()).toEqual(aSnapshot());
});

it('believes that the server has no record any more, also after a consume was answered', async () => {
  const { writer, stored } = await writerFor('ada', aSnapshot({ updatedAt: 1_000 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(999), updatedAt: 1_500 });
  await writer.record('ada', null);
  expect(stored()).toMatchObject({ uid: 'ada', paid: false, credits: null });
});

it('takes a consume’s balance, which the listener’s older state does not undo', async () => {
  const { writer, stored } = await writerFor('ada', aSnapshot({ updatedAt: 1_000 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(999), updatedAt: 1_500 });
  await writer.record('ada', aRecord({ creditsRemaining: 1_000, updatedAt: 1_000 }));
  expect(stored().credits).toEqual(someCredits(999));
  await writer.record('ada', aRecord({ creditsRemaining: 999, creditsAllowance: 999, updatedAt: 1_500 }));
  expect(stored().credits).toEqual(someCredits(999));
});

it('does not let a consume’s balance undo a newer state from the listener', async () => {
  const { writer, stored } = await writerFor('ada');
  await writer.record('ada', aRecord({ creditsRemaining: 1_100, updatedAt: 3_000 }));
  await writer.balance({ uid: 'ada', credits: balanceOf(999), updatedAt: 2_999 });
  await writer.balance({ uid: 'ada', credits: balanceOf(998), updatedAt: 3_000 });
  expect(stored().credits?.balance).toBe(1_100);
});

it('writes an unchanged state again only to say, after a minute, that it still holds', async () => {
  const storage = fakeStorage({ entitlements: aSnapshot({ mirroredAt: 1_000 }) });
  let clock = 60_999;
  const writer = createSnapshotWriter(storage.area, () => clock);
  await writer.begin('ada');
  await writer.record('ada', aRecord());
  expect(storage.peek('entitlements')).toMatchObject({ mirroredAt: 1_000 });
  clock = 61_000;
  await writer.record('ada', aRecord());
  expect(storage.peek('entitlements')).toMatchObject({ mirroredAt: 61_000 });
});

it('serialises writes, so that each sees the one before it', async () => {
  const { writer, stored } = await writerFor('ada', aSnapshot({ updatedAt: 0 }));
  const instants = [5, 3, 9, 1, 8, 9, 2];
  await Promise.all(
    instants.map((updatedAt) => writer.balance({ uid: 'ada', updatedAt, credits: balanceOf(updatedAt) })),
  );
  expect(stored()).toMatchObject({ updatedAt: 9, credits: { balance: 9 } });
});

it('replaces what another version of the extension stored in another shape', async () => {
  const storage = fakeStorage({ entitlements: { tier: 'gold' } });
  const writer = createSnapshotWriter(storage.area, () => 1);
  await writer.begin('ada');
  await writer.record('ada', aRecord());
  expect(storage.peek('entitlements')).toMatchObject({ uid: 'ada', state: 'active' });
});

/** A browser whose `storage.local` may be full or hang, and its session area beside it. */
function aBrowser() {
  const local = fakeStorage({ entitlements: aSnapshot({ paid: false, state: 'free', credits: null }) });
  const session = fakeStorage({}, 'session');
  const disk: { state: 'fine' | 'full' | 'hung' } = { state: 'fine' };
  const area = {
    ...local.area,
    async set(items: Record<string, unknown>) {
      if (disk.state === 'full') throw new Error('Resource::kQuotaBytes quota exceeded');
      if (disk.state === 'hung') return new Promise<void>(() => {});
      return local.area.set(items);
    },
  } as unknown as chrome.storage.StorageArea;
  const warnings: string[] = [];
  let clock = 2_000;
  const writer = createSnapshotWriter(area, () => clock++, {
    spare: session.area,
    warn: (text) => warnings.push(text),
  });
  const storage = {
    local: local.storage.local,
    session: session.storage.session,
    onChanged: {
      addListener(listener: never) {
        local.storage.onChanged.addListener(listener);
        session.storage.onChanged.addListener(listener);
      },
    },
  } as unknown as typeof chrome.storage;
  return { writer, disk, local, session, storage, warnings };
}

it('shows a bought plan also while the disk takes nothing more, and says so once', async () => {
  const { writer, disk, storage, session, local, warnings } = aBrowser();
  const page = createSnapshotStore(storage);
  await page.loaded;
  await writer.begin('ada');
  disk.state = 'full';
  await writer.record('ada', aRecord({ updatedAt: 5_000 }));
  await writer.record('ada', aRecord({ updatedAt: 6_000 }));
  expect(page.get()).toMatchObject({ paid: true, state: 'active', updatedAt: 6_000 });
  expect(await writer.current()).toMatchObject({ paid: true });
  expect(warnings).toEqual([expect.stringContaining('Free some of it')]);

  const later = createSnapshotStore(storage);
  await later.loaded;
  expect(later.get()).toMatchObject({ paid: true });

  disk.state = 'fine';
  await writer.restore();
  expect(local.peek('entitlements')).toMatchObject({ paid: true, updatedAt: 6_000 });
  expect(session.peek('entitlements')).toBeUndefined();
  expect(page.get()).toMatchObject({ paid: true, updatedAt: 6_000 });
});

it('gives the next worker what was kept in memory', async () => {
  const { writer, disk, session, local } = aBrowser();
  await writer.begin('ada');
  disk.state = 'full';
  await writer.record('ada', aRecord({ updatedAt: 5_000 }));
  const next = createSnapshotWriter(local.area, () => 9_000, { spare: session.area });
  expect(await next.current()).toMatchObject({ paid: true });
  await next.begin('ada');
  await next.balance({
    uid: 'ada',
    updatedAt: 7_000,
    credits: { balance: 3, allowance: 3, packCredits: 0 },
  });
  expect(session.peek('entitlements')).toBeUndefined();
  expect(local.peek('entitlements')).toMatchObject({ paid: true, credits: { balance: 3 } });
});

it('holds no answer up for a disk that hangs', { timeout: 10_000 }, async () => {
  const { writer, disk, session } = aBrowser();
  await writer.begin('ada');
  disk.state = 'hung';
  await writer.record('ada', aRecord({ updatedAt: 5_000 }));
  expect(session.peek('entitlements')).toMatchObject({ paid: true });
});

it('does not fail where nothing can be stored at all', async () => {
  const full = {
    get: () => Promise.reject(new Error('broken')),
    set: () => Promise.reject(new Error('broken')),
    remove: () => Promise.reject(new Error('broken')),
  } as unknown as chrome.storage.StorageArea;
  const writer = createSnapshotWriter(full, () => 2_000);
  await writer.begin('ada');
  await writer.record('ada', aRecord());
  expect(await writer.current()).toMatchObject({ uid: 'ada', paid: true });
});
