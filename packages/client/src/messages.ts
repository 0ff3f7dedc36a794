import type { UsageResponse } from '@extension-billing/contract/usage';
import type { FeatureKey, OfferKey } from './register.ts';

/** Why a consume was not granted. `offline` is denied at once and never queued. */
export type DenialReason =
  | 'exhausted'
  /** The feature is behind a paywall, and this user has no plan. */
  | 'plan_required'
  /** The free credits of the whole project are spent for today (UTC), and others do not cover the cost. */
  | 'free_ceiling_reached'
  | 'unknown_feature'
  | NoAnswer;
/** The service said nothing of the request itself. */
export type NoAnswer =
  | 'offline'
  | 'signed_out'
  /** Another user signed in before the answer. Nothing of theirs was spent for the user who asked. */
  | 'account_changed'
  /** The extension was updated since this page was opened: reload the page. Never said by the worker. */
  | 'updated'
  | 'unavailable';

/** What `creditsConsume` and the worker's own `consume` take. */
export interface ConsumeRequest {
  readonly feature: FeatureKey;
  /** The idempotency key, `[A-Za-z0-9_-]{1,128}`: asked again under it, the consume is charged once. */
  readonly requestId?: string;
}

/**
 * The answer to `creditsConsume`. `balance` and `allowance` are whole credits after the request; null when credits
 * are not in use on the account (then `ok` is true and nothing was spent) or nothing is known yet.
 */
export type ConsumeResult =
  | ({ readonly ok: true } & CreditsAfter)
  | ({ readonly ok: false; readonly reason: DenialReason } & CreditsAfter);
/** Whole credits after a request; null when credits are not in use on the account, or nothing is known yet. */
export interface CreditsAfter {
  readonly balance: number | null;
  readonly allowance: number | null;
}

/**
 * The answer to `creditsReserve`. `balance` and `allowance` are what can be spent beside what is held. `reservation` is
 * what confirm and release name; null where nothing is held (credits are not in use, or the feature takes none): then
 * the feature may run, and there is nothing to confirm.
 */
export type ReserveResult =
  | {
      readonly ok: true;
      readonly reservation: string | null;
      /** Milliseconds since the epoch; null where nothing is held. */
      readonly expiresAt: number | null;
      readonly balance: number | null;
      readonly allowance: number | null;
    }
  | {
      readonly ok: false;
      readonly balance: number | null;
      readonly allowance: number | null;
      readonly reason: DenialReason | 'too_many_reservations';
    };

/** The answer to `creditsConfirm` and `creditsRelease`: ended as asked for, or how it had ended before, or no answer. */
export type SettleResult =
  | ({ readonly ok: true } & CreditsAfter)
  | ({ readonly ok: false; readonly reason: SettleDenial } & CreditsAfter);
/** Why a reservation was not ended as asked for: how it had ended before, or that nobody answered. */
export type SettleDenial =
  | 'unknown_reservation'
  | 'reservation_expired'
  | 'reservation_released'
  | 'reservation_confirmed'
  | NoAnswer;

/**
 * One page of what was spent and granted. `invalid`: the dates or the cursor are not what the service takes.
 */
export type UsageResult =
  | ({ readonly ok: true } & UsageResponse)
  | { readonly ok: false; readonly reason: NoAnswer | 'invalid' };

/** What one offer costs. */
export interface OfferPrice {
  readonly lookupKey: string;
  /** Minor units of the currency. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Credits of a pack, or of each period of a plan; null for none. A service of an earlier version leaves it out. */
  readonly credits?: number | null | undefined;
}
/** What offers cost the user `uid`; not `ok` where the service could not be asked, or nobody is signed in. */
export type PricesResult =
  | { readonly ok: true; readonly uid: string; readonly prices: readonly OfferPrice[] }
  | { readonly ok: false };

/** A request that opens a page: `ok` with the tab opened, or a stable code and a sentence for the user. */
export type OpenResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Who is signed in, as pages may know it: no token. */
export interface SessionUser {
  readonly uid: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly isAnonymous: boolean;
}
/** What came of a sign-in, a sign-out or a deletion: who is signed in now, or why it was refused, with a sentence to show. */
export type AuthResult =
  | { readonly ok: true; readonly user: SessionUser | null }
  | { readonly ok: false; readonly code: string; readonly message: string };

/**
 * Who is signed in. `expired` is true when the auth service refused to renew the session (password changed, account
 * disabled or deleted): what was mirrored is still shown, and the user should sign in again.
 */
export interface SessionReply {
  readonly user: SessionUser | null;
  readonly expired: boolean;
  /** The browser's storage does not answer: `user` is who was signed in last, and nothing can be spent until it does. */
  readonly unreadable?: true;
  /**
   * The extension signs its users in itself (`BillingConfig.identity`): pages show its way in and out, and none of
   * billing's. `failed`: it has not said who is signed in, or they could not be signed in here; it is tried again.
   */
  readonly host?: 'ready' | 'failed';
}

/** Every message that a UI may send to the background worker, with its reply. */
export interface BillingMessages {
  /**
   * Sent on mount and every 20 s while visible: wakes the worker and has it listen, for a minute after the last one. `free`: whether the
   * page's catalogue gives free credits, or the page has none: then an account that has not spent any yet is shown what it will have.
   */
  billingHello: { request: { readonly free?: boolean }; reply: SessionReply };
  /** `currency`: the one that the page showed the price in. */
  billingCheckout: {
    request: { readonly lookupKey: OfferKey; readonly currency?: string };
    reply: OpenResult;
  };
  /** `currency`: the one that prices are wished in. */
  billingPrices: { request: { readonly currency?: string }; reply: PricesResult };
  /** Opens the page on which a change to this plan is confirmed; the plan that runs takes a planned change back, with no page. */
  billingChange: { request: { readonly lookupKey: OfferKey }; reply: OpenResult };
  billingPortal: { request: object; reply: OpenResult };
  creditsConsume: {
    request: {
      readonly feature: FeatureKey;
      /** The idempotency key, `[A-Za-z0-9_-]{1,128}`: asked again under it, the consume is charged once. `send` adds one. */
      readonly requestId?: string;
    };
    reply: ConsumeResult;
  };
  /** Holds a feature's cost until it is confirmed, released or expired; `withCredits` does all of it around some work. */
  creditsReserve: {
    request: {
      readonly feature: FeatureKey;
      /** 1 to 86,400; the service's own 900 where nothing is said. */
      readonly expiresInSeconds?: number;
      /** The idempotency key, as of a consume. `send` adds one. */
      readonly requestId?: string;
    };
    reply: ReserveResult;
  };
  creditsConfirm: { request: { readonly reservation: string }; reply: SettleResult };
  creditsRelease: { request: { readonly reservation: string }; reply: SettleResult };
  creditsUsage: {
    /** `from` and `to`: days (`2026-11-21`, in UTC, both included) or instants (ISO 8601). `cursor`: a `next`. */
    request: { readonly from: string; readonly to: string; readonly cursor?: string };
    reply: UsageResult;
  };
  /**
   * `leaveGuest`: the guest who is signed in has bought something, which cannot move to an account that exists already;
   * it is left behind. Without it such a sign-in is refused (`guest_has_purchases`).
   */
  authSignIn: {
    request: { readonly email: string; readonly password: string; readonly leaveGuest?: boolean };
    reply: AuthResult;
  };
  /** A new account; a guest who is signed in becomes it, with all they bought. */
  authSignUp: { request: { readonly email: string; readonly password: string }; reply: AuthResult };
  /** As `authSignUp` for a Google account that is new here, and else as `authSignIn`. */
  authSignInWithGoogle: { request: { readonly leaveGuest?: boolean }; reply: AuthResult };
  /** A guest: an account without a name, on this browser only, until `authSignUp` or Google gives it one. */
  authSignInAsGuest: { request: object; reply: AuthResult };
  /**
   * Mails a link that signs in, or makes an account; a guest who is signed in becomes it, with all they bought. It ends
   * in this browser. `leaveGuest`: as for `authSignIn`.
   */
  authSendLink: { request: { readonly email: string; readonly leaveGuest?: boolean }; reply: AuthResult };
  /** Signs in by the link itself, for who opened it elsewhere and brings it here. */
  authUseLink: { request: { readonly link: string }; reply: AuthResult };
  /** Mails a link for a new password. `ok` also where there is no such account: which there are is nobody's business. */
  authResetPassword: { request: { readonly email: string }; reply: AuthResult };
  /**
   * Ends the plan, deletes the account and signs out. Asks Google again for an account that came from there;
   * `password_required` where it has a password and none was given.
   */
  accountDelete: { request: { readonly password?: string }; reply: AuthResult };
  /**
   * Refused for a guest who has bought something (`guest_has_purchases`), or of whom that cannot be checked
   * (`guest_unchecked`): nobody could sign in to that account again. `discard`: it is to be lost.
   */
  authSignOut: { request: { readonly discard?: boolean }; reply: AuthResult };
}
/** The `type` of each message that pages may send. */
export type BillingMessageType = keyof BillingMessages;

/** A message as it is sent: its `type` and its fields. */
export type BillingRequest = {
  [T in BillingMessageType]: { readonly type: T } & BillingMessages[T]['request'];
}[BillingMessageType];

/** What the worker answers when it could not serve a message at all; `send` turns it into a rejection. */
export interface ErrorReply {
  readonly error: {
    readonly code: 'unknown_message' | 'invalid_message' | 'forbidden_sender' | 'internal';
    readonly message: string;
  };
}

/** Taken from outside: the return page says that a checkout ended. It carries no data. */
export interface BillingReturnMessage {
  readonly type: 'billingReturn';
}
/** The other one: the page of a sign-in mail brings its link, and hears whether it signed in. */
export interface BillingSignInMessage {
  readonly type: 'billingSignIn';
  readonly link: string;
}
