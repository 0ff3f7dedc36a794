import type * as api from '@extension-billing/contract/api';
import type * as usage from '@extension-billing/contract/usage';
import * as v from 'valibot';

/**
 * What the routes answer with 200, as schemas. They stand outside src: the function needs none of them, and what its
 * bundle holds it pays for at every cold start. `Same` below holds each to the type that the routes are held to.
 */

const Credits = v.pipe(v.number(), v.integer(), v.minValue(0));
const Movement = v.pipe(v.number(), v.integer());
const Millis = v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Milliseconds since the epoch.'));
const CreditsInUse = v.pipe(v.nullable(Credits), v.description('Null for an account without credits.'));
const RecordTime = v.pipe(
  v.nullable(Millis),
  v.description('When the balances were so, in milliseconds since the epoch; null where there are none.'),
);

const balances = { balance: CreditsInUse, allowance: CreditsInUse, packCredits: CreditsInUse };
const replay = {
  replayed: v.pipe(v.boolean(), v.description('Whether an earlier request had been answered with this.')),
  updatedAt: RecordTime,
};
const Page = v.pipe(v.string(), v.url());

export const responses = {
  CheckoutResponse: v.strictObject({ url: Page, sessionId: v.string() }),
  PortalResponse: v.strictObject({ url: Page }),
  ConsumeResponse: v.strictObject({ ok: v.literal(true), ...balances, cost: Credits, ...replay }),
  ReserveResponse: v.strictObject({
    ok: v.literal(true),
    reservation: v.string(),
    ...balances,
    cost: Credits,
    expiresAt: v.pipe(
      v.nullable(Millis),
      v.description('Null where nothing is held, and so nothing has to be settled.'),
    ),
    ...replay,
  }),
  SettleResponse: v.strictObject({
    ok: v.literal(true),
    ...balances,
    cost: Credits,
    shortfall: Credits,
    ...replay,
  }),
  BalanceResponse: v.strictObject({ balance: Credits, allowance: Credits }),
  UsageResponse: v.strictObject({
    entries: v.array(
      v.strictObject({
        id: v.string(),
        kind: v.picklist([
          'consume',
          'reserve',
          'confirm',
          'release',
          'expiry',
          'grant',
          'allowance',
          'drop',
          'clawback',
          'restore',
          'correction',
          'opening',
        ]),
        feature: v.nullable(v.string()),
        outcome: v.nullable(v.picklist(['granted', 'exhausted'])),
        deltaAllowance: Movement,
        deltaPack: Movement,
        balance: Movement,
        createdAt: Millis,
      }),
    ),
    totals: v.array(
      v.strictObject({
        day: v.pipe(v.string(), v.isoDate()),
        feature: v.string(),
        credits: Credits,
        count: Credits,
      }),
    ),
    next: v.pipe(v.nullable(v.string()), v.description('The cursor of the next page; null on the last.')),
  }),
  DeleteAccountResponse: v.strictObject({ deleted: v.literal(true), canceledSubscriptions: Credits }),
  WebhookResponse: v.variant('outcome', [
    v.strictObject({ outcome: v.literal('applied'), uids: v.array(v.string()) }),
    v.strictObject({ outcome: v.literal('duplicate') }),
    v.strictObject({ outcome: v.literal('ignored') }),
  ]),
} as const;

/** What a 402 tells beside its problem. */
export const ExhaustedFields = {
  balance: Credits,
  allowance: Credits,
  replayed: v.boolean(),
} as const;

export type ResponseName = keyof typeof responses;

/** The types of the contract, by the same names. */
interface Contract {
  readonly CheckoutResponse: api.CheckoutResponse;
  readonly PortalResponse: api.PortalResponse;
  readonly ConsumeResponse: api.ConsumeResponse;
  readonly ReserveResponse: api.ReserveResponse;
  readonly SettleResponse: api.SettleResponse;
  readonly BalanceResponse: api.BalanceResponse;
  readonly UsageResponse: usage.UsageResponse;
  readonly DeleteAccountResponse: api.DeleteAccountResponse;
  readonly WebhookResponse: api.WebhookResponse;
}

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
/** Whether two types are the same, optional members and all: being assignable to one another is not enough. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The compiler refuses this where a schema and its type are not the same. */
export const RESPONSES_ARE_THE_CONTRACT: {
  readonly [N in ResponseName]: Same<
    DeepReadonly<v.InferOutput<(typeof responses)[N]>>,
    DeepReadonly<Contract[N]>
  >;
} = {
  CheckoutResponse: true,
  PortalResponse: true,
  ConsumeResponse: true,
  ReserveResponse: true,
  SettleResponse: true,
  BalanceResponse: true,
  UsageResponse: true,
  DeleteAccountResponse: true,
  WebhookResponse: true,
};
