import { expect, it, vi } from 'vitest';
import { createWebStorage, whileOpen } from './storage.ts';

/** `localStorage`, and a way to say what another tab has done to it. */
function aPage(stored: Record<string, string> = {}) {
  const items = new Map(Object.entries(stored));
  const area = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  } as Storage;
  const page = new EventTarget();
  const elsewhere = (
    key: string | null,
    oldValue: string | null,
    newValue: string | null,
    storageArea = area,
  ) => page.dispatchEvent(Object.assign(new Event('storage'), { key, oldValue, newValue, storageArea }));
  const storage = createWebStorage(() => area, page as unknown as Window, 'demo');
  const heard: unknown[] = [];
  storage.onChanged.addListener((changes, areaName) => heard.push([areaName, changes]));
  return { storage, items, elsewhere, heard };
}
const settled = () => new Promise((resolve) => setTimeout(resolve));

it('gives back what it was given, under names of its own', async () => {
  const { storage, items } = aPage({ entitlements: '"the app’s own"' });
  await storage.local.set({ entitlements: { paid: true }, other: null });
  expect(await storage.local.get('entitlements')).toEqual({ entitlements: { paid: true } });
  expect(await storage.session.get('entitlements')).toEqual({});
  await storage.local.remove('other');
  expect([...items.keys()]).toEqual(['entitlements', 'extension-billing:demo:local:entitlements']);
  expect(items.get('entitlements')).toBe('"the app’s own"');
});

it('tells this tab and hears the others, and no change where there was none', async () => {
  const { storage, elsewhere, heard } = aPage();
  await storage.session.set({ key: 1 });
  await storage.session.set({ key: 1 });
  await settled();
  elsewhere('extension-billing:demo:local:key', null, '2');
  elsewhere('extension-billing:demo:local:key', '2', null);
  expect(heard).toEqual([
    ['session', { key: { newValue: 1 } }],
    ['local', { key: { newValue: 2 } }],
    ['local', { key: { oldValue: 2 } }],
  ]);
});

it('leaves what is the app’s own or another project’s, and what nobody can read', async () => {
  const { storage, elsewhere, heard } = aPage({ 'extension-billing:demo:local:torn': '{' });
  for (const key of [
    null,
    'mine',
    'extension-billing:',
    'extension-billing:demo:other:key',
    'extension-billing:other:local:key',
  ])
    elsewhere(key, null, '1');
  elsewhere('extension-billing:demo:local:key', null, '1', {} as Storage);
  expect(heard).toEqual([]);
  expect(await storage.local.get('torn')).toEqual({ torn: undefined });
});

it('rejects where the browser forbids storage, and does not throw', async () => {
  const forbidden = vi.fn((): Storage => {
    throw new DOMException('no', 'SecurityError');
  });
  const { local } = createWebStorage(forbidden, new EventTarget() as unknown as Window, 'demo');
  await expect(local.get('key')).rejects.toThrow('no');
  await expect(local.set({ key: 1 })).rejects.toThrow('no');
  await expect(local.remove('key')).rejects.toThrow('no');
});

it('writes nothing for a tab that no longer leads', async () => {
  const { storage, items } = aPage();
  let isOpen = true;
  const guarded = whileOpen(storage, () => isOpen);
  await guarded.local.set({ key: 1 });
  isOpen = false;
  await guarded.local.set({ key: 2 });
  await guarded.local.remove('key');
  expect(await guarded.local.get('key')).toEqual({ key: 1 });
  expect(items.size).toBe(1);
});
