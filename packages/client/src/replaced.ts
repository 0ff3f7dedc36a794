import type { BillingMessages, BillingMessageType } from './messages.ts';

/**
 * Whether this page or content script is left over from before its extension was updated, reloaded or removed: the
 * browser has cut it off, and nothing that it asks is answered any more. Only a reload of the page helps.
 */
export function wasReplaced(): boolean {
  return chrome.runtime?.id === undefined;
}

const MESSAGE = 'The extension was updated. Reload this page.';
type Refusals = {
  readonly [T in BillingMessageType]: Extract<BillingMessages[T]['reply'], { ok: unknown }> | null;
};

const PAGE = { ok: false, code: 'updated', message: MESSAGE } as const;
const CREDITS = { ok: false, balance: null, allowance: null, reason: 'updated' } as const;
/** What each message is refused with in a page that was cut off; null where its reply has no refusal. */
const REFUSALS: Refusals = {
  billingHello: null,
  billingCheckout: PAGE,
  billingPortal: PAGE,
  creditsConsume: CREDITS,
  creditsReserve: CREDITS,
  creditsConfirm: CREDITS,
  creditsRelease: CREDITS,
  creditsUsage: { ok: false, reason: 'updated' },
  authSignIn: PAGE,
  authSignUp: PAGE,
  authSignInWithGoogle: PAGE,
  authSignInAsGuest: PAGE,
  authResetPassword: PAGE,
  accountDelete: PAGE,
  authSignOut: PAGE,
};

/** The refusal of one message; null where it has none, with the sentence to throw instead. */
export function replacedRefusal<T extends BillingMessageType>(
  type: T,
): { readonly reply: BillingMessages[T]['reply'] | null; readonly message: string } {
  return { reply: REFUSALS[type], message: MESSAGE };
}
