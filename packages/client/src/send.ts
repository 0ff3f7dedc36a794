import { askBackground } from './ask-background.ts';
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
const UNAVAILABLE = { ...CREDITS, reason: 'unavailable' } as const;

interface Sending<T extends BillingMessageType> {
  /** The reply in a page that was cut off; null if the reply has no refusal. */
  readonly refusal: Extract<BillingMessages[T]['reply'], { readonly ok: unknown }> | null;
  /**
   * Whether a background that was started anew may serve the message again: it repeats safely as it is, or only with
   * a request id as its idempotency key.
   */
  readonly again: 'never' | 'as it is' | 'by request id';
}

/** How each message is sent. */
const MESSAGES: { readonly [T in BillingMessageType]: Sending<T> } = {
  billingHello: { refusal: null, again: 'as it is' },
  billingCheckout: { refusal: PAGE, again: 'never' },
  billingChange: { refusal: PAGE, again: 'never' },
  billingPortal: { refusal: PAGE, again: 'never' },
  billingPrices: { refusal: { ok: false }, again: 'as it is' },
  creditsConsume: { refusal: CREDITS, again: 'by request id' },
  creditsReserve: { refusal: CREDITS, again: 'by request id' },
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
 * the reply, `updated` among them. If the worker dies before it answers, the message is sent once more if that's safe.
 *
 * @throws BillingMessageError if the worker doesn't serve the message, or there is no worker
 */
export async function send<T extends BillingMessageType>(
  type: T,
  request: BillingMessages[T]['request'],
): Promise<BillingMessages[T]['reply']> {
  const { refusal, again } = MESSAGES[type];
  // The caller's id or a new one: the idempotency key of this request from here to the ledger.
  const { requestId = crypto.randomUUID() } = request as { readonly requestId?: string };
  const message = { ...request, ...(again === 'by request id' && { requestId }), type };
  const reply = await askBackground(message, again !== 'never').catch((error: unknown) => {
    if (!wasReplaced()) throw error;
    if (refusal === null) throw new BillingMessageError({ code: 'updated', message: RELOAD });
    return refusal;
  });
  if (reply === undefined) {
    throw new BillingMessageError({
      code: 'unknown_message',
      message: `Nobody answered "${type}". Call createBillingBackground() at the top level of the background worker.`,
    });
  }
  if (isErrorReply(reply)) throw new BillingMessageError(reply.error);
  return reply as BillingMessages[T]['reply'];
}

function isErrorReply(reply: unknown): reply is ErrorReply {
  if (typeof reply !== 'object' || reply === null || !('error' in reply)) return false;
  return typeof reply.error === 'object' && reply.error !== null && 'code' in reply.error;
}

/** Refuses a spend that could not be sent. The cause is for developers, who find it on the console. */
export function refuseUnsent(error: unknown): typeof UNAVAILABLE {
  console.error('billing:', error);
  return UNAVAILABLE;
}

/** `withCredits` for pages of the extension: by messages to the background worker. */
export const withCredits: WithCredits = createWithCredits({
  reserve: (request) => send('creditsReserve', request).catch(refuseUnsent),
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
