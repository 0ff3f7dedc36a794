import { PLAN } from '@extension-billing/contract/test/catalog';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BillingMessageError, send, wasReplaced } from './send.ts';

afterEach(() => vi.unstubAllGlobals());

type Message = Readonly<Record<string, unknown>>;
const WORKER_DIED = new Error('The message channel closed before a response was received');

/** A browser whose worker answers in turn; an Error is a rejection. */
function browserThatAnswers(...answers: unknown[]): Message[] {
  const sent: Message[] = [];
  const sendMessage = async (message: Message): Promise<unknown> => {
    const answer = answers[sent.length];
    sent.push(message);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  vi.stubGlobal('chrome', { runtime: { id: 'this-extension', sendMessage } });
  return sent;
}

it('sends the type with the request and gives the reply', async () => {
  const sent = browserThatAnswers({ ok: true });
  expect(await send('billingCheckout', { lookupKey: PLAN.yearly })).toEqual({ ok: true });
  expect(sent).toEqual([{ type: 'billingCheckout', lookupKey: PLAN.yearly, billing: true }]);
});

it('asks again for the same consume when the worker died before it answered', async () => {
  const sent = browserThatAnswers(WORKER_DIED, { ok: true, balance: 1, allowance: 1 });
  expect((await send('creditsConsume', { feature: 'demo' })).ok).toBe(true);
  expect(sent).toHaveLength(2);
  expect(sent[0]?.requestId).toEqual(expect.any(String));
  expect(sent[1]).toEqual(sent[0]);
});

it('asks again for the same consume when the worker died while it was starting, and left no reply', async () => {
  const sent = browserThatAnswers(undefined, { ok: true, balance: 1, allowance: 1 });
  expect((await send('creditsConsume', { feature: 'demo' })).ok).toBe(true);
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
});

it('asks again for the same reservation, and to settle it, when the worker died before it answered', async () => {
  const reserving = browserThatAnswers(WORKER_DIED, { ok: true });
  await send('creditsReserve', { feature: 'demo' });
  expect(reserving[0]?.requestId).toEqual(expect.any(String));
  expect(reserving[1]).toEqual(reserving[0]);
  const confirming = browserThatAnswers(WORKER_DIED, { ok: true });
  await send('creditsConfirm', { reservation: 'job' });
  expect(confirming).toEqual(Array(2).fill({ type: 'creditsConfirm', reservation: 'job', billing: true }));
});

it('names every consume differently', async () => {
  const sent = browserThatAnswers({ ok: true }, { ok: true });
  await send('creditsConsume', { feature: 'demo' });
  await send('creditsConsume', { feature: 'demo' });
  expect(sent[0]?.requestId).not.toBe(sent[1]?.requestId);
});

it('does not repeat what would open a second tab', async () => {
  const sent = browserThatAnswers(WORKER_DIED, { ok: true });
  await expect(send('billingCheckout', { lookupKey: PLAN.yearly })).rejects.toBe(WORKER_DIED);
  expect(sent).toHaveLength(1);
});

it('rejects with the code when the worker does not serve the message', async () => {
  browserThatAnswers({ error: { code: 'invalid_message', message: 'No feature.' } });
  const refused = send('creditsConsume', { feature: '' });
  await expect(refused).rejects.toBeInstanceOf(BillingMessageError);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_message', message: 'No feature.' });
});

it('says what is missing when nobody answers', async () => {
  browserThatAnswers(undefined);
  await expect(send('billingHello', {})).rejects.toThrow('createBillingBackground');
});

it.each([{ error: 'Unknown message' }, { success: false }, 'what?', true, []])(
  'says that a listener of the extension’s own has answered %j in billing’s place',
  async (reply) => {
    browserThatAnswers(reply);
    await expect(send('creditsConsume', { feature: 'demo' })).rejects.toThrow(
      /listener of the extension's own/,
    );
  },
);

describe('in a page that is left over from before an update', () => {
  const cutOff = (): void => {
    const sendMessage = () => Promise.reject(new Error('Extension context invalidated.'));
    vi.stubGlobal('chrome', { runtime: { sendMessage } });
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
