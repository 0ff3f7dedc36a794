import { expect, it } from 'vitest';
import { aSnapshot } from '../../test/factories.ts';
import { createWebStorage } from './storage.ts';

type Items = Map<string, string>;
const storageOver = (items: Items): Storage =>
  ({
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    get length() {
      return items.size;
    },
  }) as Storage;

/** An origin, and a way to open its tabs: what one writes the others hear when they are told. */
function anOrigin(stored: Record<string, string> = {}) {
  const items: Items = new Map(Object.entries(stored));
  const area = storageOver(items);
  function open(isServed = true) {
    const page = new EventTarget();
    const session = storageOver(new Map());
    const storage = createWebStorage(
      { local: () => area, session: () => session },
      page as unknown as Window,
      'demo',
    );
    const heard: unknown[] = [];
    storage.onChanged.addListener((changes, areaName) => heard.push([areaName, changes]));
    const fromOthers: unknown[] = [];
    if (isServed) storage.onOtherTab((snapshot) => fromOthers.push(snapshot));
    const elsewhere = (key: string | null, newValue: string | null, storageArea = area) =>
      page.dispatchEvent(Object.assign(new Event('storage'), { key, newValue, storageArea }));
    const shown = async () => (await storage.local.get('entitlements')).entitlements;
    const comesBack = () => page.dispatchEvent(new Event('pageshow'));
    return { storage, heard, fromOthers, elsewhere, shown, comesBack };
  }
  return { items, open };
}
const SNAPSHOT = 'extension-billing:demo:local:entitlements';
const settled = () => new Promise((resolve) => setTimeout(resolve));
const of = (uid: string, updatedAt: number) => aSnapshot({ uid, updatedAt });

it('returns what it was given, under names of its own', async () => {
  const { open, items } = anOrigin({ entitlements: '"the app’s own"' });
  const { storage } = open();
  await storage.local.set({ entitlements: { paid: true }, other: null });
  expect(await storage.local.get('entitlements')).toEqual({ entitlements: { paid: true } });
  expect(await storage.session.get('entitlements')).toEqual({});
  await storage.local.remove('other');
  expect([...items.keys()]).toEqual(['entitlements', SNAPSHOT]);
  expect(items.get('entitlements')).toBe('"the app’s own"');
});

it('tells this tab of its own changes, and of those that other tabs make to what all of them share', async () => {
  const { storage, elsewhere, heard } = anOrigin().open();
  await storage.session.set({ key: 1 });
  await storage.session.set({ key: 1 });
  await settled();
  elsewhere('extension-billing:demo:local:key', '2');
  expect(await storage.local.get('key')).toEqual({ key: 2 });
  elsewhere('extension-billing:demo:local:key', null);
  expect(heard).toEqual([
    ['session', { key: { newValue: 1 } }],
    ['local', { key: { newValue: 2 } }],
    ['local', { key: { oldValue: 2 } }],
  ]);
});

it('shows no snapshot of another tab by itself: that tab may have another user', async () => {
  const { storage, elsewhere, heard, fromOthers, shown } = anOrigin().open();
  await storage.local.set({ entitlements: of('ada', 1) });
  await settled();
  heard.length = 0;
  elsewhere(SNAPSHOT, JSON.stringify(of('grace', 2)));
  elsewhere(SNAPSHOT, null);
  expect(fromOthers).toEqual([of('grace', 2), null]);
  expect([heard, await shown(), storage.shownUid()]).toEqual([[], of('ada', 1), 'ada']);
});

it('hears at its return what another tab has written while this one was not told of it', async () => {
  const { open } = anOrigin();
  const [away, other] = [open(), open()];
  await away.storage.local.set({ entitlements: of('ada', 1) });
  away.comesBack();
  expect(away.fromOthers).toEqual([]);
  await other.storage.local.set({ entitlements: of('grace', 2) });
  away.comesBack();
  away.comesBack();
  expect(away.fromOthers).toEqual([of('grace', 2)]);
});

it('shows what another tab has written as long as nothing serves this one', async () => {
  const { storage, shown, elsewhere } = anOrigin({ [SNAPSHOT]: JSON.stringify(of('ada', 1)) }).open(false);
  expect(await shown()).toEqual(of('ada', 1));
  elsewhere(SNAPSHOT, JSON.stringify(of('grace', 2)));
  expect([await shown(), storage.shownUid()]).toEqual([of('grace', 2), 'grace']);
});

it('writes no older state of a user over a newer one that another tab has written', async () => {
  const { open, items } = anOrigin();
  const [slow, quick] = [open(), open()];
  await slow.storage.local.set({ entitlements: of('ada', 5) });
  await quick.storage.local.set({ entitlements: of('ada', 7) });
  await slow.storage.local.set({ entitlements: of('ada', 6) });
  expect(JSON.parse(items.get(SNAPSHOT) ?? '')).toEqual(of('ada', 7));

  // A record that is gone, and another user, are news whatever the time.
  await slow.storage.local.set({ entitlements: of('ada', 0) });
  expect(JSON.parse(items.get(SNAPSHOT) ?? '')).toEqual(of('ada', 0));
  await slow.storage.local.set({ entitlements: of('grace', 1) });
  expect(JSON.parse(items.get(SNAPSHOT) ?? '')).toEqual(of('grace', 1));
});

it('believes an older state after its own newer one: the database may have been restored', async () => {
  const { open, items } = anOrigin();
  const { storage } = open();
  await storage.local.set({ entitlements: of('ada', 7) });
  await storage.local.set({ entitlements: of('ada', 5) });
  expect(JSON.parse(items.get(SNAPSHOT) ?? '')).toEqual(of('ada', 5));
});

it('leaves what is the app’s own or another project’s, and what nobody can parse', async () => {
  const { storage, elsewhere, heard } = anOrigin({ 'extension-billing:demo:local:torn': '{' }).open();
  for (const key of [
    null,
    'mine',
    'extension-billing:',
    'extension-billing:demo:session:key',
    'extension-billing:other:local:key',
  ])
    elsewhere(key, '1');
  elsewhere('extension-billing:demo:local:key', '1', storageOver(new Map()));
  expect(heard).toEqual([]);
  expect(await storage.local.get('torn')).toEqual({ torn: undefined });
});

it('works for as long as the page if the browser blocks site data', async () => {
  const blocked = (): Storage => {
    throw new DOMException('no', 'SecurityError');
  };
  const storage = createWebStorage(
    { local: blocked, session: blocked },
    new EventTarget() as unknown as Window,
    'demo',
  );
  expect(storage.isKept).toBe(false);
  await storage.local.set({ key: 1 });
  await storage.session.set({ key: 2 });
  expect([await storage.local.get('key'), await storage.session.get('key')]).toEqual([
    { key: 1 },
    { key: 2 },
  ]);
  await storage.local.remove('key');
  expect(await storage.local.get('key')).toEqual({});
});
