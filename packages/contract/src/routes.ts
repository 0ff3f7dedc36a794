import type { GenericSchema, ObjectEntries, StrictObjectSchema } from 'valibot';
import * as api from './api.ts';
import { type Caller, scopesOf } from './callers.ts';
import type { ErrorCode } from './problems.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Relative to the function's own address. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  /** Everybody else is denied. */
  readonly callers: readonly Caller[];
  /** The request has to have an `Idempotency-Key` header. */
  readonly isIdempotent?: true;
  /** The answer may bring the header `Billing-Version`; the request may send it, where it commits. */
  readonly version?: 'answered' | 'carried';
  readonly query?: StrictObjectSchema<ObjectEntries, undefined>;
  /** Null where no body is read; `event`: the provider's own, which is read as bytes. */
  readonly body: StrictObjectSchema<ObjectEntries, undefined> | 'event' | null;
  /** What is answered with 200. */
  readonly answer: GenericSchema;
  /** Every refusal that this route has of its own, beside those of `codesOf`. */
  readonly refusals: readonly ErrorCode[];
}

const SPEND_REFUSALS = [
  'unknown_feature',
  'idempotency_key_required',
  'credits_exhausted',
  'free_ceiling_reached',
  'plan_required',
] as const;

/**
 * Every route, by the name of what it does. Express mounts them (functions/src/routes.ts binds each to its handler), and
 * docs/openapi.json and the tables of docs/api.md are made from them.
 */
export const ROUTES = {
  openCheckout: {
    method: 'POST',
    path: '/billing/checkout',
    summary: 'Open a hosted checkout for one offer',
    description: 'The offer is named by its lookup key; price and amount are found here, never sent.',
    callers: ['user'],
    body: api.CheckoutRequest,
    answer: api.CheckoutResponse,
    refusals: [
      'unknown_lookup_key',
      'account_deleted',
      'already_subscribed',
      'already_owned',
      'provider_unavailable',
    ],
  },
  changePlan: {
    method: 'POST',
    path: '/billing/change',
    summary: 'Open the page that shows what another plan costs, and asks for the change',
    description:
      'For whoever has a subscription. What costs more is changed at once, for the difference; what costs less, or is billed more often, when the period ends. The key of the plan that runs takes a planned change back.',
    callers: ['user'],
    body: api.ChangeRequest,
    answer: api.ChangeResponse,
    refusals: [
      'unknown_lookup_key',
      'account_deleted',
      'no_subscription',
      'already_on_plan',
      'already_owned',
      'change_planned',
      'currency_differs',
      'checkout_required',
      'portal_required',
      'provider_unavailable',
    ],
  },
  readPrices: {
    method: 'GET',
    path: '/billing/prices',
    summary: 'Read what each offer costs this buyer',
    description:
      'What the provider charges, at most a minute old: in the currency of a running subscription, else the requested one, else the price’s own, each if the price is sold in it. `currency` at the checkout takes the same. `credits` are those of the provider’s price too: a purchase grants them, whatever the catalogue says.',
    callers: ['user'],
    query: api.PricesQuery,
    body: null,
    answer: api.PricesResponse,
    refusals: ['invalid_request', 'provider_unavailable'],
  },
  openPortal: {
    method: 'POST',
    path: '/billing/portal',
    summary: 'Open the page where a customer changes cards, sees invoices and cancels',
    description: 'Needs an earlier purchase.',
    callers: ['user'],
    body: api.NoFields,
    answer: api.PortalResponse,
    refusals: ['no_customer', 'provider_unavailable'],
  },
  receiveEvent: {
    method: 'POST',
    path: '/billing/webhook',
    summary: 'Receive a signed event of the payment provider',
    description:
      'The signature is checked on the bytes as they came. Any answer but 200 means that nothing was written, so that the provider delivers the event again.',
    callers: ['provider'],
    body: 'event',
    answer: api.WebhookResponse,
    refusals: ['invalid_signature'],
  },
  consumeCredits: {
    method: 'POST',
    path: '/credits/consume',
    summary: 'Spend what a feature costs, once per idempotency key',
    description: 'The same request again gets the first answer with `replayed: true`, a recorded 402 too.',
    callers: ['user', 'service:consume'],
    isIdempotent: true,
    version: 'carried',
    body: api.ConsumeRequest,
    answer: api.ConsumeResponse,
    refusals: [...SPEND_REFUSALS, 'hold_required', 'idempotency_key_reused'],
  },
  reserveCredits: {
    method: 'POST',
    path: '/credits/reserve',
    summary: 'Hold what a feature costs until it is confirmed, released or expired',
    description:
      'The reservation is named by its idempotency key. A service may hold less than the catalogue says, by `amount` or `units`.',
    callers: ['user', 'service:hold'],
    isIdempotent: true,
    version: 'carried',
    body: api.ReserveRequest,
    answer: api.ReserveResponse,
    refusals: [...SPEND_REFUSALS, 'amount_above_hold', 'too_many_reservations', 'idempotency_key_reused'],
  },
  confirmReservation: {
    method: 'POST',
    path: '/credits/confirm',
    summary: 'Take what a reservation holds',
    description: 'A reservation ends once; asked again, the same end is answered again.',
    callers: ['user', 'service:hold'],
    version: 'carried',
    body: api.SettleRequest,
    answer: api.SettleResponse,
    refusals: ['unknown_reservation', 'reservation_expired', 'reservation_released'],
  },
  settleReservation: {
    method: 'POST',
    path: '/credits/settle',
    summary: 'Take what was used of a reservation, and let go the rest',
    description:
      'Exactly one of `amount` and `units`. What is more than held is taken as far as the feature’s overdraw goes and the balance reaches. A reservation ends once; asked again, with whatever amount, the same end is answered again.',
    callers: ['service:hold'],
    version: 'carried',
    body: api.MeasuredSettleRequest,
    answer: api.SettleResponse,
    refusals: ['unknown_reservation', 'amount_above_hold', 'reservation_expired', 'reservation_released'],
  },
  releaseReservation: {
    method: 'POST',
    path: '/credits/release',
    summary: 'Let go what a reservation holds',
    description: 'A reservation ends once; asked again, the same end is answered again.',
    callers: ['user', 'service:hold'],
    version: 'carried',
    body: api.SettleRequest,
    answer: api.SettleResponse,
    refusals: ['unknown_reservation', 'reservation_confirmed'],
  },
  readBalance: {
    method: 'GET',
    path: '/credits/balance',
    summary: 'Read what can be spent now',
    description: 'What is owned, less what reservations hold; 0 and 0 for an account without credits.',
    callers: ['user', 'service:read'],
    version: 'answered',
    body: null,
    answer: api.BalanceResponse,
    refusals: [],
  },
  readUsage: {
    method: 'GET',
    path: '/credits/usage',
    summary: 'Read one page of the ledger, newest first, with totals by feature and day',
    description:
      'The last 30 days where nothing is said, a year at most. `totals` are those of the page: add up the pages.',
    callers: ['user', 'service:read'],
    query: api.UsageQuery,
    body: null,
    answer: api.UsageResponse,
    refusals: ['invalid_request'],
  },
  readAccount: {
    method: 'GET',
    path: '/account',
    summary: 'Read what an account has: its plan, its entitlements and its credits',
    description:
      'As they are now: what has ended by the clock alone is not in it. An account that bought nothing has none of it.',
    callers: ['user', 'service:read'],
    body: null,
    answer: api.AccountResponse,
    refusals: [],
  },
  grant: {
    method: 'POST',
    path: '/grants',
    summary: 'Give a user credits, a complimentary plan, or both',
    description:
      'Once for each idempotency key and user, and within what one caller may grant in a day. Credits become pack credits; an entitlement holds as if a plan brought it. An audit record keeps who granted what, and why.',
    callers: ['service:grant'],
    isIdempotent: true,
    body: api.GrantRequest,
    answer: api.GrantResponse,
    refusals: [
      'idempotency_key_required',
      'unknown_entitlement',
      'grant_limit_reached',
      'unknown_user',
      'account_deleted',
      'idempotency_key_reused',
    ],
  },
  revokeGrant: {
    method: 'POST',
    path: '/grants/revoke',
    summary: 'Take a grant back',
    description:
      'What is left of its credits, and its complimentary plan; nothing that was bought. A second time changes nothing.',
    callers: ['service:grant'],
    body: api.RevokeGrantRequest,
    answer: api.GrantResponse,
    refusals: ['unknown_grant', 'account_deleted'],
  },
  deleteAccount: {
    method: 'POST',
    path: '/account/delete',
    summary: 'End what could still charge the user, then delete the account',
    description: 'Needs a sign-in of the last minutes. The books stay.',
    callers: ['user'],
    body: api.NoFields,
    answer: api.DeleteAccountResponse,
    refusals: ['recent_sign_in_required', 'provider_unavailable'],
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;

/** Every code that a route may answer with: its own, and those that its callers, body and place bring. */
export function codesOf({ path, callers, body, refusals }: Route): readonly ErrorCode[] {
  const isForProvider = callers.includes('provider');
  return [
    ...new Set<ErrorCode>([
      ...refusals,
      ...(body === null ? [] : (['invalid_request', 'payload_too_large', 'request_timeout'] as const)),
      ...(isForProvider
        ? []
        : (['invalid_request', 'unauthenticated', 'caller_not_allowed', 'too_many_requests'] as const)),
      ...(scopesOf(callers).length > 0 ? (['user_required'] as const) : []),
      ...(path.startsWith('/billing/') ? (['billing_disabled'] as const) : []),
      'internal',
      'temporarily_unavailable',
    ]),
  ];
}
