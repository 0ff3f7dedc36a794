import type { BillingMessages, BillingMessageType } from '../messages.ts';

const CREDITS = { ok: false, balance: null, allowance: null, reason: 'account_changed' } as const;
const PAGE = {
  ok: false,
  code: 'account_changed',
  message: 'Another account signed in meanwhile. Try again with this one.',
} as const;

/** The requests that act for a user, each with the refusal for a user who is no longer signed in. */
const FOR_A_USER: { readonly [T in BillingMessageType]?: BillingMessages[T]['reply'] } = {
  billingCheckout: PAGE,
  billingChange: PAGE,
  billingPortal: PAGE,
  accountDelete: PAGE,
  creditsConsume: CREDITS,
  creditsReserve: CREDITS,
  creditsConfirm: CREDITS,
  creditsRelease: CREDITS,
  creditsUsage: { ok: false, reason: 'account_changed' },
};

/** Returns the refusal of a request whose page showed another user than the one signed in; undefined if any may send it. */
export function refusalOfAnother(type: unknown): BillingMessages[BillingMessageType]['reply'] | undefined {
  return typeof type === 'string' && Object.hasOwn(FOR_A_USER, type)
    ? FOR_A_USER[type as BillingMessageType]
    : undefined;
}
