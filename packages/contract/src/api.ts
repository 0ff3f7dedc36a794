/** What goes over HTTP: design, section 3. The extension and the function both import these shapes. */

export interface CheckoutRequest {
  readonly lookup_key: string;
}
export interface CheckoutResponse {
  /** The provider's hosted checkout page, to open in a tab. */
  readonly url: string;
  readonly sessionId: string;
}
export interface PortalResponse {
  readonly url: string;
}

export interface ConsumeRequest {
  readonly feature: string;
}
/** Credits are whole numbers. All three balances are null for an account without credits. */
export interface ConsumeResponse {
  readonly ok: true;
  readonly balance: number | null;
  readonly allowance: number | null;
  readonly packCredits: number | null;
  /** Credits taken by this request; 0 for an account without credits, and for a feature whose gate takes none. */
  readonly cost: number;
  /** True when an earlier request with the same idempotency key had already been answered. */
  readonly replayed: boolean;
  /** Milliseconds since the epoch of the record that this balance was read from or written to. */
  readonly updatedAt: number | null;
}

export interface ReserveRequest {
  readonly feature: string;
  /** How long the credits are held: 1 to 86,400 seconds, 900 where nothing is said. */
  readonly expiresInSeconds?: number;
}
/** As a consume's; the balances are what can be spent beside everything that is held. */
export interface ReserveResponse {
  readonly ok: true;
  /** The idempotency key: what confirm and release name. */
  readonly reservation: string;
  readonly balance: number | null;
  readonly allowance: number | null;
  readonly packCredits: number | null;
  /** Credits held; 0 where the feature takes none. */
  readonly cost: number;
  /** Null where nothing is held: an account without credits, a gate that takes none. Then there is nothing to settle. */
  readonly expiresAt: number | null;
  readonly replayed: boolean;
  readonly updatedAt: number | null;
}

/** Of POST /credits/confirm and /credits/release. */
export interface SettleRequest {
  readonly reservation: string;
}
export interface SettleResponse {
  readonly ok: true;
  readonly balance: number | null;
  readonly allowance: number | null;
  readonly packCredits: number | null;
  /** Credits taken: the reservation's cost less the shortfall; 0 for a release. */
  readonly cost: number;
  /** Held credits that a reset or a refund had taken away before the confirm. */
  readonly shortfall: number;
  readonly replayed: boolean;
  readonly updatedAt: number | null;
}

/** `balance` is what can be spent now, and `allowance` its part that ends with the period. */
export interface BalanceResponse {
  readonly balance: number;
  readonly allowance: number;
}

export interface DeleteAccountResponse {
  readonly deleted: true;
  /** Subscriptions that this request ended at the provider; 0 when there were none, or an earlier request ended them. */
  readonly canceledSubscriptions: number;
}

export type WebhookResponse =
  | { readonly outcome: 'applied'; readonly uids: readonly string[] }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'ignored' };

/** Stable machine-readable codes; `functions/src/errors.ts` gives each its HTTP status. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_signature'
  | 'unauthenticated'
  | 'recent_sign_in_required'
  | 'account_deleted'
  | 'unknown_lookup_key'
  | 'unknown_feature'
  | 'idempotency_key_required'
  | 'idempotency_key_reused'
  | 'credits_exhausted'
  | 'plan_required'
  | 'unknown_reservation'
  | 'reservation_expired'
  | 'reservation_released'
  | 'reservation_confirmed'
  | 'too_many_reservations'
  | 'already_subscribed'
  | 'already_owned'
  | 'no_customer'
  | 'not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'request_timeout'
  | 'too_many_requests'
  | 'billing_disabled'
  | 'provider_unavailable'
  | 'temporarily_unavailable'
  | 'internal';

/** RFC 9457 `application/problem+json`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** What went wrong and what the reader can do next. */
  readonly detail: string;
}

/** The 402 of POST /credits/consume and /credits/reserve carries the balance that was not enough. */
export interface ExhaustedProblem extends Problem {
  readonly code: 'credits_exhausted';
  readonly balance: number;
  readonly allowance: number;
  readonly replayed: boolean;
}
