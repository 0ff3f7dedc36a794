import { expect, it, vi } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createOpenedTabs } from './opened-tabs.ts';

/** A browser that keeps its tabs and what is listened to while workers come and go. */
function aBrowser({ isFirefox = false } = {}) {
  const session = fakeStorage({}, 'session');
  const onReturn = vi.fn();
  let listeners = new Map<string, Set<(...args: never[]) => unknown>>();
  const event = (name: string) => ({
    addListener: (listener: (...args: never[]) => unknown) =>
      void listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
    removeListener: (listener: (...args: never[]) => unknown) => void listeners.get(name)?.delete(listener),
  });
  let last = 0;
  const marked = new Map<string, string>();
  const marks = {
    getItem: (key: string) => marked.get(key) ?? null,
    setItem: (key: string, value: string) => void marked.set(key, value),
    removeItem: (key: string) => void marked.delete(key),
  };
  const worker = () => {
    listeners = new Map();
    const tabs = {
      create: async () => ({ id: ++last }),
      onUpdated: event('updated'),
      onRemoved: event('removed'),
      onActivated: event('activated'),
    };
    return createOpenedTabs({ tabs, area: session.area, marks: isFirefox ? marks : undefined, onReturn });
  };
  const happens = async (name: string, ...args: unknown[]) => {
    for (const listener of listeners.get(name) ?? []) await listener(...(args as never[]));
  };
  const listening = () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0);
  return { worker, happens, listening, onReturn, session };
}
const settled = () => new Promise((resolve) => setTimeout(resolve));

it('listens to no tab while none is open', async () => {
  const { worker, listening, onReturn } = aBrowser();
  worker();
  expect(listening()).toBe(3);
  await settled();
  expect(listening()).toBe(0);
  expect(onReturn).not.toHaveBeenCalled();
});

it.each<[string, unknown[]]>([
  ['updated', [1, { status: 'complete' }]],
  ['removed', [1]],
  ['activated', [{ tabId: 7 }]],
])('notices that its tab is %s, in the worker that opened it and in the next', async (name, args) => {
  const { worker, happens, onReturn } = aBrowser();
  await worker().open('https://checkout.example');
  await settled();
  worker();
  // What started this worker comes before it has read anything.
  await happens(name, ...args);
  expect(onReturn).toHaveBeenCalledTimes(1);
});

it('in Firefox, where what an event page began with is remembered, begins with listeners only while a tab is open', async () => {
  const { worker, happens, listening, onReturn } = aBrowser({ isFirefox: true });
  const first = worker();
  expect(listening()).toBe(0);
  await first.open('https://checkout.example');
  await happens('removed', 7);
  expect(listening()).toBe(3);
  const second = worker();
  expect(listening()).toBe(3);
  await happens('activated');
  expect(onReturn).toHaveBeenCalledTimes(1);
  await second.forget();
  worker();
  expect(listening()).toBe(0);
});

it('in Firefox, has no listeners left over from before the browser was restarted', async () => {
  const { worker, listening, session } = aBrowser({ isFirefox: true });
  await worker().open('https://checkout.example');
  await session.area.remove('billingTabs');
  worker();
  await settled();
  worker();
  expect(listening()).toBe(0);
});

it('leaves every other tab alone', async () => {
  const { worker, happens, onReturn } = aBrowser();
  await worker().open('https://checkout.example');
  await happens('updated', 2, { status: 'complete' });
  await happens('removed', 2);
  await happens('updated', 1, { status: 'loading' });
  expect(onReturn).not.toHaveBeenCalled();
});

it('listens until the last of its tabs is closed', async () => {
  const { worker, happens, listening } = aBrowser();
  const opened = worker();
  await opened.open('https://checkout.example');
  await opened.open('https://portal.example');
  await happens('removed', 1);
  expect(listening()).toBe(3);
  await happens('removed', 2);
  expect(listening()).toBe(0);
});

it('listens no more once nothing is expected of them, and again to the next', async () => {
  const { worker, happens, listening, onReturn, session } = aBrowser();
  const opened = worker();
  await opened.open('https://checkout.example');
  await opened.forget();
  expect([listening(), session.peek('billingTabs')]).toEqual([0, undefined]);
  await opened.open('https://checkout.example');
  await happens('removed', 2);
  expect(onReturn).toHaveBeenCalledTimes(1);
});

it('opens the tab where the browser tells nothing of tabs', async () => {
  const create = vi.fn(async () => ({}));
  const opened = createOpenedTabs({
    tabs: { create },
    area: fakeStorage().area,
    marks: undefined,
    onReturn: () => {},
  });
  await opened.open('https://checkout.example');
  expect(create).toHaveBeenCalledExactlyOnceWith({ url: 'https://checkout.example' });
});
