import { testCatalog } from '@extension-billing/contract/test/catalog';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepBillingAlive } from './keep-alive.ts';
import type { SessionReply } from './messages.ts';

const SESSION: SessionReply = { user: null, expired: false };

/** The page that the hellos come from. */
function page() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const askBackground = vi.fn(async (..._message: unknown[]): Promise<SessionReply> => SESSION);
  vi.stubGlobal('document', document);
  const listeners = new Set<(changes: object, areaName: string) => void>();
  const onChanged = {
    addListener: (listener: () => void) => listeners.add(listener),
    removeListener: (listener: () => void) => listeners.delete(listener),
  };
  vi.stubGlobal('chrome', { runtime: { id: 'x' }, askBackground, storage: { onChanged } });
  return {
    hellos: () => askBackground.mock.calls.length,
    askBackground,
    stored(areaName: string, key: string) {
      for (const listener of listeners) listener({ [key]: {} }, areaName);
    },
    show(visibilityState: 'visible' | 'hidden') {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('says hello at once and every 20 s, which is before the worker’s 30 s are over', async () => {
  const { hellos } = page();
  keepBillingAlive();
  expect(hellos()).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hellos()).toBe(4);
});

it('lets the worker sleep while nobody looks, and wakes it when somebody does', async () => {
  const { hellos, show } = page();
  keepBillingAlive();
  show('hidden');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hellos()).toBe(1);
  show('visible');
  expect(hellos()).toBe(2);
});

it('tells who is signed in, and goes on after a hello that failed', async () => {
  const { askBackground } = page();
  askBackground.mockRejectedValueOnce(new Error('no worker'));
  const onSession = vi.fn();
  keepBillingAlive(onSession);
  await vi.advanceTimersByTimeAsync(1);
  expect(onSession).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(onSession).toHaveBeenCalledWith(SESSION);
});

it('ends with the page', async () => {
  const { hellos, show } = page();
  const end = keepBillingAlive();
  end();
  show('visible');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hellos()).toBe(1);
});

it('says hello as soon as the worker tells that who is signed in has changed', () => {
  const { hellos, stored } = page();
  const end = keepBillingAlive();
  stored('session', 'billingSession');
  stored('session', 'billingSessionIncognito');
  expect(hellos()).toBe(3);
  stored('session', 'billingTabs');
  stored('local', 'billingSession');
  end();
  stored('session', 'billingSession');
  expect(hellos()).toBe(3);
});

it('has the worker ask for free credits if its page has no catalogue to tell', async () => {
  vi.resetModules();
  const fresh = await import('./keep-alive.ts');
  const { providePricing } = await import('./given-catalog.ts');
  const { askBackground } = page();
  const last = () => askBackground.mock.lastCall;
  const stop = fresh.keepBillingAlive();
  expect(last()).toEqual([expect.objectContaining({ free: true }), true]);
  for (const free of [
    null,
    { credits: 20, every: 'day', guests: 0, verifiedEmail: false, dailyCeiling: null },
  ] as const) {
    providePricing({ ...testCatalog, free });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(last()).toEqual([expect.objectContaining({ free: free !== null }), true]);
  }
  stop();
});
