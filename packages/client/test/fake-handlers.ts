import type { BillingHandlers } from '../src/background/router.ts';
import type { SessionReply } from '../src/messages.ts';

export const NOBODY: SessionReply = { user: null, expired: false };

/** Handlers that grant everything. */
export function fakeHandlers(overrides: Partial<BillingHandlers> = {}): BillingHandlers {
  const opened = async () => ({ ok: true }) as const;
  const signedOut = async () => ({ ok: true, user: null }) as const;
  return {
    billingHello: async () => NOBODY,
    billingCheckout: opened,
    billingChange: opened,
    billingPortal: opened,
    billingPrices: async () => ({ ok: false }),
    creditsConsume: async () => ({ ok: true, balance: 41, allowance: 41 }),
    creditsReserve: async () => ({
      ok: true,
      reservation: 'job',
      expiresAt: 9_000,
      balance: 36,
      allowance: 36,
    }),
    creditsConfirm: async () => ({ ok: true, balance: 36, allowance: 36 }),
    creditsRelease: async () => ({ ok: true, balance: 41, allowance: 41 }),
    creditsUsage: async () => ({ ok: false, reason: 'offline' }),
    authSignIn: signedOut,
    authSignUp: signedOut,
    authSignInWithGoogle: signedOut,
    authSignInAsGuest: signedOut,
    authSendLink: signedOut,
    authUseLink: signedOut,
    authResetPassword: signedOut,
    accountDelete: signedOut,
    authSignOut: signedOut,
    ...overrides,
  };
}
