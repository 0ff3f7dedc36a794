import type { ErrorCode } from '@extension-billing/contract/api';
import type { GenericSchema } from 'valibot';
import { CheckoutBody, ConsumeBody, NoFields, ReserveBody, SettleBody } from '../src/http/requests.ts';
import type { ResponseName } from './responses.ts';

/** One route of app.ts, as the document tells of it. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'post';
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** `user`: a Firebase ID token. `provider`: the provider's signature over the body. */
  readonly caller: 'user' | 'provider';
  /** The body's name in the document and its schema; `null` where the body is not read, `event` for the provider's. */
  readonly body: { readonly name: string; readonly schema: GenericSchema } | 'event' | null;
  readonly parameters: readonly ('IdempotencyKey' | 'UsageFrom' | 'UsageTo' | 'UsageCursor' | 'UsageLimit')[];
  readonly answer: ResponseName;
  /** Every refusal that this route has of its own, beside those of `codesOf`. */
  readonly refusals: readonly ErrorCode[];
}

const credits = [
  'unknown_feature',
  'idempotency_key_required',
  'credits_exhausted',
  'plan_required',
] as const;

export const OPERATIONS: readonly Operation[] = [
  {
    path: '/billing/checkout',
    method: 'post',
    id: 'openCheckout',
    summary: 'Open a hosted checkout for one offer',
    description: 'The offer is named by its lookup key; price and amount are found here, never sent.',
    caller: 'user',
    body: { name: 'CheckoutRequest', schema: CheckoutBody },
    parameters: [],
    answer: 'CheckoutResponse',
    refusals: [
      'unknown_lookup_key',
      'account_deleted',
      'already_subscribed',
      'already_owned',
      'provider_unavailable',
    ],
  },
  {
    path: '/billing/portal',
    method: 'post',
    id: 'openPortal',
    summary: 'Open the page where a customer changes cards, sees invoices and cancels',
    description: 'Needs an earlier purchase.',
    caller: 'user',
    body: { name: 'NoFields', schema: NoFields },
    parameters: [],
    answer: 'PortalResponse',
    refusals: ['no_customer', 'provider_unavailable'],
  },
  {
    path: '/billing/webhook',
    method: 'post',
    id: 'receiveEvent',
    summary: 'Receive a signed event of the payment provider',
    description:
      'The signature is checked on the bytes as they came. Any answer but 200 means that nothing was written, so that the provider delivers the event again.',
    caller: 'provider',
    body: 'event',
    parameters: [],
    answer: 'WebhookResponse',
    refusals: ['invalid_signature'],
  },
  {
    path: '/credits/consume',
    method: 'post',
    id: 'consumeCredits',
    summary: 'Spend what a feature costs, once per idempotency key',
    description: 'The same request again gets the first answer with `replayed: true`, a recorded 402 too.',
    caller: 'user',
    body: { name: 'ConsumeRequest', schema: ConsumeBody },
    parameters: ['IdempotencyKey'],
    answer: 'ConsumeResponse',
    refusals: [...credits, 'idempotency_key_reused'],
  },
  {
    path: '/credits/reserve',
    method: 'post',
    id: 'reserveCredits',
    summary: 'Hold what a feature costs until it is confirmed, released or expired',
    description: 'The reservation is named by its idempotency key.',
    caller: 'user',
    body: { name: 'ReserveRequest', schema: ReserveBody },
    parameters: ['IdempotencyKey'],
    answer: 'ReserveResponse',
    refusals: [...credits, 'too_many_reservations', 'idempotency_key_reused'],
  },
  {
    path: '/credits/confirm',
    method: 'post',
    id: 'confirmReservation',
    summary: 'Take what a reservation holds',
    description: 'A reservation ends once; asked again, the same end is answered again.',
    caller: 'user',
    body: { name: 'SettleRequest', schema: SettleBody },
    parameters: [],
    answer: 'SettleResponse',
    refusals: ['unknown_reservation', 'reservation_expired', 'reservation_released'],
  },
  {
    path: '/credits/release',
    method: 'post',
    id: 'releaseReservation',
    summary: 'Let go what a reservation holds',
    description: 'A reservation ends once; asked again, the same end is answered again.',
    caller: 'user',
    body: { name: 'SettleRequest', schema: SettleBody },
    parameters: [],
    answer: 'SettleResponse',
    refusals: ['unknown_reservation', 'reservation_confirmed'],
  },
  {
    path: '/credits/balance',
    method: 'get',
    id: 'readBalance',
    summary: 'Read what can be spent now',
    description: 'What is owned, less what reservations hold; 0 and 0 for an account without credits.',
    caller: 'user',
    body: null,
    parameters: [],
    answer: 'BalanceResponse',
    refusals: [],
  },
  {
    path: '/credits/usage',
    method: 'get',
    id: 'readUsage',
    summary: 'Read one page of the ledger, newest first, with totals by feature and day',
    description:
      'The last 30 days where nothing is said, a year at most. `totals` are those of the page: add up the pages.',
    caller: 'user',
    body: null,
    parameters: ['UsageFrom', 'UsageTo', 'UsageCursor', 'UsageLimit'],
    answer: 'UsageResponse',
    refusals: ['invalid_request'],
  },
  {
    path: '/account/delete',
    method: 'post',
    id: 'deleteAccount',
    summary: 'End what could still charge the user, then delete the account',
    description: 'Needs a sign-in of the last minutes. The books stay.',
    caller: 'user',
    body: { name: 'NoFields', schema: NoFields },
    parameters: [],
    answer: 'DeleteAccountResponse',
    refusals: ['recent_sign_in_required', 'provider_unavailable'],
  },
];

/** Every code that a route may answer with: its own, and those that its caller, body and place bring. */
export function codesOf({ path, caller, body, refusals }: Operation): readonly ErrorCode[] {
  return [
    ...refusals,
    ...(body === null ? [] : (['invalid_request', 'payload_too_large', 'request_timeout'] as const)),
    ...(caller === 'user' ? (['unauthenticated', 'too_many_requests'] as const) : []),
    ...(path.startsWith('/billing/') ? (['billing_disabled'] as const) : []),
    'internal',
    'temporarily_unavailable',
  ];
}
