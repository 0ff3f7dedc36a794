import type { ErrorCode, Problem } from '@extension-billing/contract/api';

/** The one table from a stable error code to its HTTP status (design, section 3). */
export const STATUS_OF = {
  invalid_request: 400,
  invalid_signature: 400,
  unknown_lookup_key: 400,
  unknown_feature: 400,
  idempotency_key_required: 400,
  unauthenticated: 401,
  credits_exhausted: 402,
  plan_required: 403,
  recent_sign_in_required: 403,
  account_deleted: 403,
  not_found: 404,
  unknown_reservation: 404,
  method_not_allowed: 405,
  already_subscribed: 409,
  already_owned: 409,
  no_customer: 409,
  reservation_expired: 409,
  reservation_released: 409,
  reservation_confirmed: 409,
  too_many_reservations: 409,
  request_timeout: 408,
  payload_too_large: 413,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  internal: 500,
  billing_disabled: 501,
  provider_unavailable: 502,
  temporarily_unavailable: 503,
} as const satisfies Record<ErrorCode, number>;

const TITLE_OF: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request is not what this route takes',
  invalid_signature: 'The webhook signature does not fit the body',
  unknown_lookup_key: 'Nothing is sold under this lookup key',
  unknown_feature: 'No feature has this name',
  idempotency_key_required: 'An idempotency key is needed',
  unauthenticated: 'A valid ID token is needed',
  credits_exhausted: 'Not enough credits',
  plan_required: 'A plan is needed',
  recent_sign_in_required: 'A fresh sign-in is needed',
  account_deleted: 'The account was deleted',
  not_found: 'No such route',
  unknown_reservation: 'Nothing was held under this name',
  method_not_allowed: 'The route does not take this method',
  already_subscribed: 'A subscription is already running',
  already_owned: 'Already owned',
  no_customer: 'Nothing has been bought yet',
  reservation_expired: 'The reservation has expired',
  reservation_released: 'The reservation was released',
  reservation_confirmed: 'The reservation was confirmed',
  too_many_reservations: 'Too many reservations are open',
  request_timeout: 'The body came too slowly',
  payload_too_large: 'The body is too large',
  idempotency_key_reused: 'The idempotency key belongs to another request',
  too_many_requests: 'Too many requests',
  internal: 'Something went wrong here',
  billing_disabled: 'Billing is turned off',
  provider_unavailable: 'The payment provider did not answer as needed',
  temporarily_unavailable: 'Not available for the moment',
};

/**
 * The RFC 9457 body for a code. `detail` says what went wrong and what the reader can do next;
 * `extra` adds members of the code's own (the balance of a 402, say).
 */
export function problem<Extra extends object = object>(
  code: ErrorCode,
  detail: string,
  extra?: Extra,
): Problem & Extra {
  return {
    ...(extra as Extra),
    type: `urn:extension-billing:problem:${code}`,
    title: TITLE_OF[code],
    status: STATUS_OF[code],
    code,
    detail,
  };
}
