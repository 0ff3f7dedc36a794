import type { ConsumeResponse } from '@extension-billing/contract/api';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeHandlers } from '../test/fake-handlers.ts';
import { fakePorts } from '../test/fake-ports.ts';
import { fakeStorage } from '../test/fake-storage-area.ts';
import type { Api, ApiAnswer, ApiRequest } from './background/api.ts';
import type { BackgroundPort } from './background/background-browser.ts';
import { createConsume } from './background/consume.ts';
import { type BillingHandlers, createRouter } from './background/router.ts';
import { BillingMessageError, send, wasReplaced, withCredits } from './send.ts';
import { createSnapshotWriter } from './snapshot/write.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const PAGE = { id: 'this-extension', origin: 'chrome-extension://this-extension' };

/** A page of an extension whose background hasn't started yet. */
function extension() {
  const ports = fakePorts(PAGE);
  vi.stubGlobal('chrome', { runtime: { id: PAGE.id, connect: ports.connect } });
  /** Starts a background, after the extension's own `onConnect` listener if it has one. */
  const start = (handlers: Partial<BillingHandlers>, own?: (port: BackgroundPort) => void): void => {
    if (own !== undefined) ports.onConnect.addListener(own);
    const { onConnect } = createRouter(fakeHandlers(handlers), {
      extensionId: PAGE.id,
      ownOrigin: PAGE.origin,
      uid: async () => null,
      unknownMessages: 'leave',
    });
    ports.onConnect.addListener(onConnect);
  };
  return { ports, start };
}
const NEVER = new Promise<never>(() => {});
const GRANTED = { ok: true, balance: 1, allowance: 1 } as const;

it('sends the type with the request, gives the reply and leaves no port open', async () => {
  const { start, ports } = extension();
  const billingCheckout = vi.fn(async () => ({ ok: true }) as const);
  start({ billingCheckout });
  expect(await send('billingCheckout', { lookupKey: PLAN.yearly })).toEqual({ ok: true });
  expect(billingCheckout).toHaveBeenCalledExactlyOnceWith({ lookupKey: PLAN.yearly });
  expect(ports.openPorts()).toBe(0);
});

it('gives each of several requests its own reply', async () => {
  const { start } = extension();
  const first = Promise.withResolvers<typeof GRANTED>();
  start({ creditsConsume: ({ feature }) => (feature === 'slow' ? first.promise : NEVER) });
  const slow = send('creditsConsume', { feature: 'slow' });
  expect(await send('billingHello', {})).toEqual({ user: null, expired: false });
  first.resolve(GRANTED);
  expect(await slow).toEqual(GRANTED);
});

it.each([
  ['posts to every port', (port: BackgroundPort) => port.postMessage({ reply: { ok: false } })],
  [
    'answers every message of every port',
    (port: BackgroundPort) =>
      port.onMessage.addListener((message) => port.postMessage({ answer: message, error: 'unknown' })),
  ],
])('gives billing’s reply beside a listener that %s', async (_what, own) => {
  const { start } = extension();
  start({ creditsConsume: async () => GRANTED }, own);
  expect(await send('creditsConsume', { feature: 'demo' })).toEqual(GRANTED);
});

describe('when the worker dies before it answers', () => {
  it.each([
    ['creditsConsume', { feature: 'demo' }],
    ['creditsConsume', { feature: 'demo', requestId: undefined } as unknown as { feature: string }],
    ['creditsReserve', { feature: 'demo' }],
  ] as const)('sends %s %j again with the same request id', async (type, request) => {
    const { start, ports } = extension();
    const asked = vi.fn(() => NEVER);
    start({ [type]: asked });
    const reply = send(type, request);
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    ports.kill();
    const askedAgain = vi.fn(async () => GRANTED);
    start({ [type]: askedAgain });
    expect(await reply).toEqual(GRANTED);
    expect(askedAgain.mock.calls).toEqual(asked.mock.calls);
    expect(asked).toHaveBeenCalledWith({ feature: 'demo', requestId: expect.any(String) });
  });

  it('asks the next one if another page of the extension holds the port open', async () => {
    vi.useFakeTimers();
    const { start, ports } = extension();
    start({ creditsConsume: () => NEVER, billingCheckout: () => NEVER });
    const paid = send('creditsConsume', { feature: 'demo' });
    const opened = expect(send('billingCheckout', { lookupKey: PLAN.yearly })).rejects.toMatchObject({
      code: 'internal',
    });
    await vi.advanceTimersByTimeAsync(1_000);
    ports.killBesideListener();
    const billingCheckout = vi.fn(async () => ({ ok: true }) as const);
    start({ creditsConsume: async () => GRANTED, billingCheckout });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await paid).toEqual(GRANTED);
    await opened;
    expect(billingCheckout).not.toHaveBeenCalled();
  });

  it('settles a reservation again', async () => {
    const { start, ports } = extension();
    const asked = vi.fn(() => NEVER);
    start({ creditsConfirm: asked });
    const reply = send('creditsConfirm', { reservation: 'job' });
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    ports.kill();
    start({ creditsConfirm: async () => GRANTED });
    expect(await reply).toEqual(GRANTED);
  });

  it('doesn’t repeat what would open a second tab', async () => {
    const { start, ports } = extension();
    const asked = vi.fn(() => NEVER);
    start({ billingCheckout: asked });
    const reply = send('billingCheckout', { lookupKey: PLAN.yearly });
    const refused = expect(reply).rejects.toMatchObject({ code: 'internal' });
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    ports.kill();
    const askedAgain = vi.fn(async () => ({ ok: true }) as const);
    start({ billingCheckout: askedAgain });
    await refused;
    expect(askedAgain).not.toHaveBeenCalled();
  });
});

it('fetches the answer over another port if only the port was closed, without starting the request twice', async () => {
  const { start, ports } = extension();
  const answer = Promise.withResolvers<{ ok: true }>();
  const billingCheckout = vi.fn(() => answer.promise);
  start({ billingCheckout });
  const reply = send('billingCheckout', { lookupKey: PLAN.yearly });
  await vi.waitFor(() => expect(billingCheckout).toHaveBeenCalled());
  ports.cut();
  answer.resolve({ ok: true });
  expect(await reply).toEqual({ ok: true });
  expect(billingCheckout).toHaveBeenCalledOnce();
});

it('charges 50 calls at once under one request id once, though answers are lost and the worker dies', async () => {
  const { start, ports } = extension();
  const ledger = new Map<string, ConsumeResponse>();
  const credits = { balance: 9, allowance: 9, packCredits: 0, cost: 1 };
  let requests = 0;
  const post = async ({ idempotencyKey = '' }: ApiRequest): Promise<ApiAnswer<ConsumeResponse>> => {
    requests += 1;
    const replayed = ledger.has(idempotencyKey);
    ledger.set(idempotencyKey, { ok: true, ...credits, replayed, updatedAt: 1_500 });
    await new Promise((resolve) => setTimeout(resolve));
    if (requests <= 120) return { kind: 'unreachable' };
    return { kind: 'answered', body: { ok: true, ...credits, replayed, updatedAt: 1_500 } };
  };
  const startWorker = (): void =>
    start({
      creditsConsume: createConsume({
        api: { post } as Pick<Api, 'post'>,
        uid: async () => 'ada',
        online: () => true,
        apiIsLocal: false,
        snapshot: createSnapshotWriter(fakeStorage().area, () => 2_000),
        now: () => 2_000,
        wait: async () => {},
        newKey: () => crypto.randomUUID(),
      }),
    });
  startWorker();
  const calls = Array.from({ length: 50 }, async () => {
    for (;;) {
      const reply = await send('creditsConsume', { feature: 'demo', requestId: 'press-1' });
      if (reply.ok) return reply.balance;
    }
  });
  await vi.waitFor(() => expect(requests).toBeGreaterThan(60));
  ports.kill();
  startWorker();
  expect(new Set(await Promise.all(calls))).toEqual(new Set([9]));
  expect([...ledger.keys()]).toEqual(['press-1']);
});

it('keeps the worker alive with a message every 20 s until it has answered', async () => {
  vi.useFakeTimers();
  const { start, ports } = extension();
  const answer = Promise.withResolvers<{ ok: true; user: null }>();
  start({ accountDelete: () => answer.promise });
  const reply = send('accountDelete', {});
  await vi.advanceTimersByTimeAsync(65_000);
  expect(ports.posted).toHaveLength(1 + 3);
  answer.resolve({ ok: true, user: null });
  expect(await reply).toEqual({ ok: true, user: null });
  await vi.advanceTimersByTimeAsync(65_000);
  expect(ports.posted).toHaveLength(1 + 3);
});

it('uses the caller’s request id, and a new one for each request without', async () => {
  const { start } = extension();
  const creditsConsume = vi.fn(async () => GRANTED);
  start({ creditsConsume });
  await send('creditsConsume', { feature: 'demo', requestId: 'press-1' });
  await send('creditsConsume', { feature: 'demo' });
  await send('creditsConsume', { feature: 'demo' });
  const ids = creditsConsume.mock.calls.map(
    (call: unknown[]) => (call[0] as { requestId: string }).requestId,
  );
  expect(ids[0]).toBe('press-1');
  expect(new Set(ids).size).toBe(3);
});

it('rejects with the code when the worker does not serve the message', async () => {
  extension().start({});
  const refused = send('creditsConsume', { feature: '' });
  await expect(refused).rejects.toBeInstanceOf(BillingMessageError);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_message' });
});

it('says what is missing if there is no billing in the background', async () => {
  const { ports } = extension();
  await expect(send('billingHello', {})).rejects.toThrow('createBillingBackground');
  vi.useFakeTimers();
  ports.onConnect.addListener(() => {});
  const unanswered = expect(send('billingHello', {})).rejects.toThrow('createBillingBackground');
  await vi.advanceTimersByTimeAsync(10_000);
  await unanswered;
});

it('refuses measured work, and doesn’t start it, if there is no billing in the background', async () => {
  extension();
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const work = vi.fn();
  expect(await withCredits('demo_deep', work)).toEqual({
    ok: false,
    balance: null,
    allowance: null,
    reason: 'unavailable',
  });
  expect(work).not.toHaveBeenCalled();
  expect(String(log.mock.calls)).toContain('createBillingBackground');
  log.mockRestore();
});

describe('in a page that is left over from before an update', () => {
  const cutOff = (): void => {
    const connect = () => {
      throw new Error('Extension context invalidated.');
    };
    vi.stubGlobal('chrome', { runtime: { connect } });
  };

  it('every message says that the page has to be reloaded, and none that it may be tried again', async () => {
    cutOff();
    const credits = { ok: false, balance: null, allowance: null, reason: 'updated' };
    expect(await send('creditsConsume', { feature: 'demo' })).toEqual(credits);
    expect(await send('creditsConfirm', { reservation: 'job' })).toEqual(credits);
    expect(await send('creditsUsage', { from: '2026-11-01', to: '2026-11-02' })).toEqual({
      ok: false,
      reason: 'updated',
    });
    for (const reply of [await send('billingPortal', {}), await send('authSignOut', {})]) {
      expect(reply).toEqual({
        ok: false,
        code: 'updated',
        message: 'The extension was updated. Reload this page.',
      });
    }
    await expect(send('billingHello', {})).rejects.toMatchObject({ code: 'updated' });
  });

  it('a content script can ask whether it is one', () => {
    cutOff();
    expect(wasReplaced()).toBe(true);
    vi.stubGlobal('chrome', {});
    expect(wasReplaced()).toBe(true);
    vi.stubGlobal('chrome', { runtime: { id: 'this-extension' } });
    expect(wasReplaced()).toBe(false);
  });
});
