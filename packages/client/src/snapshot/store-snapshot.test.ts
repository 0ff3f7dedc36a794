import { expect, it } from 'vitest';
import { aRecord, aSnapshot } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createSnapshotStore } from './read.ts';
import { createSnapshotWriter } from './write.ts';

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
