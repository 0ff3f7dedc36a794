import type { LookupKey } from '@contract/pricing.ts';

/** Why a consume was not granted. `offline` is denied at once and never queued. */
export type DenialReason = 'exhausted' | 'offline' | 'signed_out' | 'unavailable' | 'unknown_feature';

export interface ConsumeResult {
  readonly ok: boolean;
  readonly balance: number | null;
  readonly allowance: number | null;
  readonly reason?: DenialReason;
}

/** A request that opens a page: `ok` with the tab opened, or a stable code and a sentence for the user. */
export type OpenResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface SessionUser {
  readonly uid: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly isAnonymous: boolean;
}
export type AuthResult =
  | { readonly ok: true; readonly user: SessionUser | null }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Every message that a UI may send to the background worker, with its reply. */
export interface BillingMessages {
  /** Sent on mount and every 20 s while visible: wakes the worker and re-attaches the listener. */
  billingHello: { request: object; reply: { readonly user: SessionUser | null } };
  billingCheckout: { request: { readonly lookupKey: LookupKey }; reply: OpenResult };
  billingPortal: { request: object; reply: OpenResult };
  creditsConsume: { request: { readonly feature: string }; reply: ConsumeResult };
  authSignIn: { request: { readonly email: string; readonly password: string }; reply: AuthResult };
  authSignUp: { request: { readonly email: string; readonly password: string }; reply: AuthResult };
  authSignInWithGoogle: { request: object; reply: AuthResult };
  authSignOut: { request: object; reply: AuthResult };
}
export type BillingMessageType = keyof BillingMessages;

export type BillingRequest = {
  [T in BillingMessageType]: { readonly type: T } & BillingMessages[T]['request'];
}[BillingMessageType];
