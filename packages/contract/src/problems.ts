import * as v from 'valibot';
import { SCOPES } from './callers.ts';

const Credits = v.pipe(v.number(), v.integer(), v.minValue(0));
/** What a 402 says beside its problem: the balance that was not enough. */
export const ExhaustedFields = { balance: Credits, allowance: Credits, replayed: v.boolean() } as const;

/** What a 403 says beside its problem: the entitlement that the feature needs; none where any plan will do. */
export const PlanRequiredFields = { entitlement: v.optional(v.string()) } as const;

/** What a 403 to a service says beside its problem: the scope that it lacks; none where no service may call. */
export const CallerNotAllowedFields = { scope: v.optional(v.picklist(SCOPES)) } as const;

interface Refusal {
  readonly status: number;
  readonly title: string;
  /** When it is met and what to do, for docs/api.md. */
  readonly when: string;
  /** What this problem has beside the members of all. */
  readonly fields?: v.ObjectEntries;
}

/**
 * Every refusal: its stable, machine-readable code with its HTTP status and words (design, section 3). The function's
 * answers, docs/openapi.json and docs/api.md come from here.
 */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'The request is not what this route takes',
    when: 'a field is missing, wrong or not taken; the body is no JSON; a date, cursor or limit is not one',
  },
  invalid_signature: {
    status: 400,
    title: 'The webhook signature does not fit the body',
    when: "the webhook's signature does not fit its body",
  },
  unknown_lookup_key: {
    status: 400,
    title: 'Nothing is sold under this lookup key',
    when: 'nothing is sold under it',
  },
  unknown_feature: {
    status: 400,
    title: 'No feature has this name',
    when: 'the catalogue has no such feature',
  },
  unknown_entitlement: {
    status: 400,
    title: 'No entitlement has this name',
    when: 'the catalogue has no such entitlement; `paid` is one without a name of its own',
  },
  idempotency_key_required: {
    status: 400,
    title: 'An idempotency key is needed',
    when: 'consume and reserve need one',
  },
  hold_required: {
    status: 400,
    title: 'This feature is held, not consumed',
    when: 'what the feature takes is measured: reserve it, then settle or confirm',
  },
  user_required: {
    status: 400,
    title: 'A service says for whom it acts',
    when: 'a service has to name a user: `Billing-User: <uid>`',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid ID token or key is needed',
    when: 'no ID token, or not a valid one; a key of a service that is unknown, has expired or was revoked',
  },
  credits_exhausted: {
    status: 402,
    title: 'Not enough credits',
    when: 'what can be spent does not cover the cost; with `balance`, `allowance`, `replayed`',
    fields: ExhaustedFields,
  },
  free_ceiling_reached: {
    status: 402,
    title: 'No more free credits today',
    when: 'the project has spent its free credits of this day (UTC), and no others cover the cost; nothing is recorded, and the same key may be tried again; with `balance`, `allowance`, `replayed`',
    fields: ExhaustedFields,
  },
  plan_required: {
    status: 403,
    title: 'A plan is needed',
    when: 'the feature is behind a paywall, or needs an entitlement that no plan of the user brings: `entitlement` names it',
    fields: PlanRequiredFields,
  },
  caller_not_allowed: {
    status: 403,
    title: 'This caller may not do this',
    when: 'a route for users that a service calls, or the reverse; `scope` names the one that a service would need',
    fields: CallerNotAllowedFields,
  },
  recent_sign_in_required: {
    status: 403,
    title: 'A fresh sign-in is needed',
    when: 'sign in again, then delete the account',
  },
  account_deleted: {
    status: 403,
    title: 'The account was deleted',
    when: 'the account is gone; its token is not yet',
  },
  grant_limit_reached: {
    status: 403,
    title: 'No more may be granted today',
    when: 'this caller has granted as much by hand as one may on a day (UTC); nothing is recorded',
  },
  not_found: {
    status: 404,
    title: 'No such route',
    when: 'no such route',
  },
  unknown_user: {
    status: 404,
    title: 'There is no such user',
    when: 'neither a sign-in nor a record has this uid',
  },
  unknown_grant: {
    status: 404,
    title: 'Nothing was granted under this name',
    when: 'the user has no such grant',
  },
  unknown_reservation: {
    status: 404,
    title: 'Nothing was held under this name',
    when: 'nothing was held under this name',
  },
  method_not_allowed: {
    status: 405,
    title: 'The route does not take this method',
    when: '`Allow` names the methods',
  },
  already_subscribed: {
    status: 409,
    title: 'A subscription is already running',
    when: 'a subscription runs: change it, or use the portal',
  },
  already_owned: {
    status: 409,
    title: 'Already owned',
    when: 'the lifetime plan is owned',
  },
  no_subscription: {
    status: 409,
    title: 'There is no subscription to change',
    when: 'no subscription runs: buy a plan at the checkout',
  },
  already_on_plan: {
    status: 409,
    title: 'This plan runs already',
    when: 'the plan that is asked for runs already',
  },
  change_planned: {
    status: 409,
    title: 'Another change is planned',
    when: 'another change is planned: take it back first, by the key of the plan that runs',
  },
  currency_differs: {
    status: 409,
    title: 'This plan is not sold in the currency of the one that runs',
    when: 'the plan is not sold in the currency that the subscription is billed in: cancel that one in the portal, and buy the plan once it has ended',
  },
  checkout_required: {
    status: 409,
    title: 'This is bought at the checkout',
    when: 'no subscription is changed to it: buy it at the checkout',
  },
  portal_required: {
    status: 409,
    title: 'The portal is the way on',
    when: 'the plan is set to end, overdue or paused: put that right in the portal first',
  },
  no_customer: {
    status: 409,
    title: 'Nothing has been bought yet',
    when: 'there is no portal before the first purchase',
  },
  reservation_expired: {
    status: 409,
    title: 'The reservation has expired',
    when: 'too late: consume, or reserve again for longer',
  },
  reservation_released: {
    status: 409,
    title: 'The reservation was released',
    when: 'its credits were let go: reserve again',
  },
  reservation_confirmed: {
    status: 409,
    title: 'The reservation was confirmed',
    when: 'its credits were taken and stay taken',
  },
  amount_above_hold: {
    status: 409,
    title: 'More than may be taken',
    when: 'a reserve of more than the feature may hold, or a settle of more than is held and may be overdrawn: nothing is recorded, and what is held stays held',
  },
  too_many_reservations: {
    status: 409,
    title: 'Too many reservations are open',
    when: '50 are open: settle one; the same key may be tried again',
  },
  request_timeout: {
    status: 408,
    title: 'The body came too slowly',
    when: 'the body did not arrive within 5 s: send the request again',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    when: 'the body is longer than the route takes',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key belongs to another request',
    when: 'the key belongs to another feature or time',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    when: 'wait for `Retry-After` seconds; 300 refused spends of a user in a minute are such, too, and top-ups are seen at once',
  },
  internal: {
    status: 500,
    title: 'Something went wrong here',
    when: 'a fault here; the request is safe to repeat',
  },
  billing_disabled: {
    status: 501,
    title: 'Billing is turned off',
    when: '`BILLING_DISABLED=true`: every `/billing/*` path',
  },
  provider_unavailable: {
    status: 502,
    title: 'The payment provider did not answer as needed',
    when: 'the provider refused, is over its own limit, or did not answer: wait for `Retry-After` seconds',
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Not available for the moment',
    when: 'wait for `Retry-After` seconds; the same key is safe to send again',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

export type ErrorCode = keyof typeof PROBLEMS;

/** RFC 9457 `application/problem+json`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** What went wrong and what the reader can do next. */
  readonly detail: string;
}

/** The 403 of POST /credits/consume and /credits/reserve. */
export interface PlanRequiredProblem extends Problem {
  readonly code: 'plan_required';
  readonly entitlement?: string;
}

/** The 402 of POST /credits/consume and /credits/reserve. */
export interface ExhaustedProblem
  extends Problem,
    Readonly<v.InferOutput<v.StrictObjectSchema<typeof ExhaustedFields, undefined>>> {
  readonly code: 'credits_exhausted';
}
