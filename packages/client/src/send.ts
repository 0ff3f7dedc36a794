import { createWithCredits, type WithCredits } from './credit-work.ts';
import type { BillingMessages, BillingMessageType, ErrorReply } from './messages.ts';
import { replacedRefusal, wasReplaced } from './replaced.ts';

/** The worker refused or failed to serve a message: a mistake in the caller, never an expected refusal. */
export class BillingMessageError extends Error {
  /** `updated`: the extension was updated since the page was opened, and only a reload of the page helps. */
  readonly code: ErrorReply['error']['code'] | 'updated';
  constructor({ code, message }: { readonly code: BillingMessageError['code']; readonly message: string }) {
    super(message);
    this.name = 'BillingMessageError';
    this.code = code;
  }
}

/** Safe to send a second time: the service or the worker knows what was asked before by its name. */
const REPEATABLE: ReadonlySet<BillingMessageType> = new Set([
  'billingHello',
  'creditsConsume',
  'creditsReserve',
  'creditsConfirm',
  'creditsRelease',
  'creditsUsage',
]);
const NAMED: ReadonlySet<BillingMessageType> = new Set(['creditsConsume', 'creditsReserve']);

/**
 * Sends one message to the background worker and resolves with its typed reply. Expected refusals are values in
 * the reply, `updated` among them; rejects with BillingMessageError when the worker does not serve the message, and with the browser's
 * own error when there is no worker. A worker that died before answering is asked once more, where that is safe.
 */
export async function send<T extends BillingMessageType>(
  type: T,
  request: BillingMessages[T]['request'],
): Promise<BillingMessages[T]['reply']> {
  const message = {
    ...(NAMED.has(type) ? { requestId: crypto.randomUUID() } : {}),
    ...request,
    type,
  };
  const reply = await ask(message, REPEATABLE.has(type)).catch((error: unknown) => {
    if (!wasReplaced()) throw error;
    const refusal = replacedRefusal(type);
    if (refusal.reply === null) throw new BillingMessageError({ code: 'updated', message: refusal.message });
    return refusal.reply;
  });
  if (!isReply(reply)) {
    throw new BillingMessageError({
      code: 'unknown_message',
      message: `Nobody answered "${type}". Call createBillingBackground() at the top level of the background worker.`,
    });
  }
  if (isErrorReply(reply)) throw new BillingMessageError(reply.error);
  return reply as BillingMessages[T]['reply'];
}

/** A worker that dies may leave an error behind or, when it was only just starting, no reply. */
async function ask(message: object, isRepeatable: boolean): Promise<unknown> {
  if (isRepeatable) {
    try {
      const reply: unknown = await chrome.runtime.sendMessage(message);
      if (isReply(reply)) return reply;
    } catch {
      // Asked again below; what is wrong then is the caller's to hear.
    }
  }
  return chrome.runtime.sendMessage(message);
}

function isReply(reply: unknown): boolean {
  return reply !== undefined && reply !== null;
}

function isErrorReply(reply: unknown): reply is ErrorReply {
  return typeof reply === 'object' && reply !== null && 'error' in reply;
}

/** `withCredits` for pages of the extension: by messages to the background worker. */
export const withCredits: WithCredits = createWithCredits({
  reserve: (request) => send('creditsReserve', request),
  confirm: (request) => send('creditsConfirm', request),
  release: (request) => send('creditsRelease', request),
});
