import { createWithCredits, type WithCredits } from './credit-work.ts';
import type { BillingMessages, BillingMessageType, ErrorReply } from './messages.ts';
import { pageBrowser } from './page-browser.ts';

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

const RELOAD = 'The extension was updated. Reload this page.';
const PAGE = { ok: false, code: 'updated', message: RELOAD } as const;
const CREDITS = { ok: false, balance: null, allowance: null, reason: 'updated' } as const;

interface Sending<T extends BillingMessageType> {
  /** What a page that was cut off answers itself with; null where the reply has no refusal. */
  readonly refusal: Extract<BillingMessages[T]['reply'], { readonly ok: unknown }> | null;
  /**
   * Whether it is sent once more to a worker that died: the service or the worker has to know what was asked before, from
   * the message as it is or by a name that is added to it.
   */
  readonly again: 'never' | 'as it is' | 'by name';
}

/** How each message is sent. */
const MESSAGES: { readonly [T in BillingMessageType]: Sending<T> } = {
  billingHello: { refusal: null, again: 'as it is' },
  billingCheckout: { refusal: PAGE, again: 'never' },
  billingChange: { refusal: PAGE, again: 'never' },
  billingPortal: { refusal: PAGE, again: 'never' },
  billingPrices: { refusal: { ok: false }, again: 'as it is' },
  creditsConsume: { refusal: CREDITS, again: 'by name' },
  creditsReserve: { refusal: CREDITS, again: 'by name' },
  creditsConfirm: { refusal: CREDITS, again: 'as it is' },
  creditsRelease: { refusal: CREDITS, again: 'as it is' },
  creditsUsage: { refusal: { ok: false, reason: 'updated' }, again: 'as it is' },
  authSignIn: { refusal: PAGE, again: 'never' },
  authSignUp: { refusal: PAGE, again: 'never' },
  authSignInWithGoogle: { refusal: PAGE, again: 'never' },
  authSignInAsGuest: { refusal: PAGE, again: 'never' },
  authSendLink: { refusal: PAGE, again: 'never' },
  authUseLink: { refusal: PAGE, again: 'never' },
  authResetPassword: { refusal: PAGE, again: 'never' },
  accountDelete: { refusal: PAGE, again: 'never' },
  authSignOut: { refusal: PAGE, again: 'never' },
};

/**
 * Sends one message to the background worker and resolves with its typed reply. Expected refusals are values in
 * the reply, `updated` among them; rejects with BillingMessageError when the worker does not serve the message, and with the browser's
 * own error when there is no worker. A worker that died before answering is asked once more, where that is safe.
 */
export async function send<T extends BillingMessageType>(
  type: T,
  request: BillingMessages[T]['request'],
): Promise<BillingMessages[T]['reply']> {
  const { refusal, again } = MESSAGES[type];
  const message = {
    ...(again === 'by name' ? { requestId: crypto.randomUUID() } : {}),
    ...request,
    type,
    billing: true,
  };
  const reply = await ask(message, again !== 'never').catch((error: unknown) => {
    if (!wasReplaced()) throw error;
    if (refusal === null) throw new BillingMessageError({ code: 'updated', message: RELOAD });
    return refusal;
  });
  if (!isReply(reply)) {
    throw new BillingMessageError({
      code: 'unknown_message',
      message: `Nobody answered "${type}". Call createBillingBackground() at the top level of the background worker.`,
    });
  }
  if (isErrorReply(reply)) throw new BillingMessageError(reply.error);
  if (typeof reply !== 'object' || !('ok' in reply || 'expired' in reply)) {
    throw new BillingMessageError({
      code: 'unknown_message',
      message: `A listener of the extension's own answered "${type}". It has to leave messages that it does not know.`,
    });
  }
  return reply as BillingMessages[T]['reply'];
}

/** A worker that dies may leave an error behind or, when it was only just starting, no reply. */
async function ask(message: object, isRepeatable: boolean): Promise<unknown> {
  if (isRepeatable) {
    try {
      const reply: unknown = await pageBrowser().runtime.sendMessage(message);
      if (isReply(reply)) return reply;
    } catch {
      // Asked again below; what is wrong then is the caller's to hear.
    }
  }
  return pageBrowser().runtime.sendMessage(message);
}

function isReply(reply: unknown): reply is NonNullable<unknown> {
  return reply !== undefined && reply !== null;
}

function isErrorReply(reply: unknown): reply is ErrorReply {
  if (typeof reply !== 'object' || reply === null || !('error' in reply)) return false;
  return typeof reply.error === 'object' && reply.error !== null && 'code' in reply.error;
}

/** `withCredits` for pages of the extension: by messages to the background worker. */
export const withCredits: WithCredits = createWithCredits({
  reserve: (request) => send('creditsReserve', request),
  confirm: (request) => send('creditsConfirm', request),
  release: (request) => send('creditsRelease', request),
});

/**
 * Whether this page or content script is left over from before its extension was updated, reloaded or removed: the
 * browser has cut it off, and nothing that it asks is answered any more. Only a reload of the page helps.
 */
export function wasReplaced(): boolean {
  return pageBrowser().runtime?.id === undefined;
}
