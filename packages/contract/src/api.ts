import * as v from 'valibot';
import { BILLING_STATES } from './billing-states.ts';
import { Label, Quantity, Receipt, UnitName, Words } from './receipt.ts';
import type { Holds, Input, Output, Same } from './schema.ts';
import { LEDGER_KINDS, type UsageResponse as PublishedUsageResponse } from './usage.ts';

/**
 * What goes over HTTP (design, section 3): a schema each, and the type that follows from it. The function reads requests
 * with these schemas, docs/openapi.json and docs/api.md are made from them, and the extension uses their types alone.
 * Which route takes and answers what: routes.ts.
 */

/** Becomes a part of a document id. */
export const IdempotencyKey = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,128}$/));
const Feature = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const Credits = v.pipe(v.number(), v.integer(), v.minValue(0));
/** A change of a balance, or a balance with what was held of it: may be negative. */
const Delta = v.pipe(v.number(), v.integer());
const Instant = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.description('Milliseconds since the epoch.'),
);
const CreditsInUse = v.pipe(v.nullable(Credits), v.description('Null for an account without credits.'));
const Page = v.pipe(v.string(), v.url());

// ---- Requests. Strict: a field that is not taken is refused by its name.

const Currency = v.pipe(v.string(), v.regex(/^[a-z]{3}$/), v.description('ISO 4217, lower case.'));

export const CheckoutRequest = v.strictObject({
  lookup_key: v.pipe(v.string(), v.maxLength(200)),
  /** The one that the page showed the price in. One that the price is not sold in counts as not said. */
  currency: v.exactOptional(Currency),
});
export type CheckoutRequest = Input<typeof CheckoutRequest>;

/** The plan to change to; the one that runs takes a planned change back. */
export const ChangeRequest = v.strictObject({ lookup_key: v.pipe(v.string(), v.maxLength(200)) });
export type ChangeRequest = Input<typeof ChangeRequest>;

/** `{}`, or no body at all. */
export const NoFields = v.strictObject({});

export const ConsumeRequest = v.strictObject({ feature: Feature });
export type ConsumeRequest = Input<typeof ConsumeRequest>;

const MAX_RESERVATION_SECONDS = 24 * 60 * 60;
const DEFAULT_RESERVATION_SECONDS = 15 * 60;
const Units = v.pipe(
  v.record(UnitName, Quantity),
  v.description("Units of work by the names of the feature's rates, which say what they cost."),
);
export const ReserveRequest = v.strictObject({
  feature: Feature,
  /** A service's alone: how many credits are held, at most as many as the catalogue says. Not beside `units`. */
  amount: v.exactOptional(
    v.pipe(
      Credits,
      v.minValue(1),
      v.description('Services only: credits to hold, at most those of the catalogue.'),
    ),
  ),
  /** A service's alone: what these units cost is held, and one credit at least. */
  units: v.exactOptional(Units),
  /** A service's alone: a random name for this try, to be told from others under the same key. */
  attempt: v.exactOptional(
    v.pipe(
      IdempotencyKey,
      v.description(
        'Services only: a name for this try. A hold that another try under the same key has made is refused.',
      ),
    ),
  ),
  /** How long the credits are held. */
  expiresInSeconds: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_RESERVATION_SECONDS)),
    DEFAULT_RESERVATION_SECONDS,
  ),
});
export type ReserveRequest = Input<typeof ReserveRequest>;

/** Of confirm and release. A reservation is named by the idempotency key of its reserve. */
export const SettleRequest = v.strictObject({ reservation: IdempotencyKey });
export type SettleRequest = Input<typeof SettleRequest>;

/**
 * Of settle, by a service alone: what was used of what is held. Exactly one of `amount` and `units`, which the feature's
 * rates make an amount of.
 */
export const MeasuredSettleRequest = v.strictObject({
  reservation: IdempotencyKey,
  amount: v.exactOptional(v.pipe(Credits, v.description('Credits that were used; instead of `units`.'))),
  units: v.exactOptional(Units),
  /** For the receipt. */
  label: v.exactOptional(Label),
});
export type MeasuredSettleRequest = Input<typeof MeasuredSettleRequest>;

/** The currency that the page would like its prices in. */
export const PricesQuery = v.strictObject({ currency: v.exactOptional(Currency) });

const Text = v.optional(v.pipe(v.string(), v.maxLength(2_100)));
/** Texts, as a query holds them; the route reads days, instants, the cursor and the limit out of them. */
export const UsageQuery = v.strictObject({ from: Text, to: Text, cursor: Text, limit: Text });
/** Entries of one page of the usage. */
export const MAX_USAGE_ENTRIES = 500;
export const DEFAULT_USAGE_ENTRIES = 100;
export const UsageLimit = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_USAGE_ENTRIES));

const Reason = v.pipe(Words, v.description('Why, for the audit record; no user reads it.'));
/** Credits, a complimentary plan, or both. */
export const GrantRequest = v.strictObject({
  credits: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000_000))),
  expiresInDays: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(18_000),
      v.description('When the credits end; without it they are kept for good.'),
    ),
  ),
  entitlement: v.exactOptional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(40),
      v.description(
        'Of the catalogue, with all that it includes; or `paid`. It makes `paid`, as a plan does.',
      ),
    ),
  ),
  until: v.exactOptional(
    v.pipe(Instant, v.description('When the entitlement ends, in milliseconds since the epoch.')),
  ),
  reason: Reason,
});
export type GrantRequest = Input<typeof GrantRequest>;

export const RevokeGrantRequest = v.strictObject({
  grant: v.pipe(v.string(), v.regex(/^hand_[0-9a-f]{20}$/)),
  reason: Reason,
});
export type RevokeGrantRequest = Input<typeof RevokeGrantRequest>;

// ---- Answers with 200.

export const CheckoutResponse = v.strictObject({
  /** The provider's hosted checkout page, to open in a tab. */
  url: Page,
  sessionId: v.string(),
});
export type CheckoutResponse = Output<typeof CheckoutResponse>;

/** What a checkout of each offer charges and brings now, by the provider's price. Offers that can't be bought are left out. */
export const PricesResponse = v.strictObject({
  prices: v.array(
    v.strictObject({
      lookupKey: v.string(),
      amount: v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.description('In minor units of the currency.'),
      ),
      currency: Currency,
      /** The price's `credits` or `monthly_credits`, which the owner may change at the provider. */
      credits: v.pipe(
        v.nullable(Credits),
        v.description('Credits of a pack, or of each period of a plan. Null for a plan without credits.'),
      ),
    }),
  ),
});
export type PricesResponse = Output<typeof PricesResponse>;

export const PortalResponse = v.strictObject({ url: Page });
export type PortalResponse = Output<typeof PortalResponse>;

export const ChangeResponse = v.strictObject({
  /** The provider's page that shows what the change costs and asks for it. */
  url: v.pipe(
    v.nullable(Page),
    v.description('Null where a planned change was taken back: nothing is to be confirmed.'),
  ),
});
export type ChangeResponse = Output<typeof ChangeResponse>;

const balances = { balance: CreditsInUse, allowance: CreditsInUse, packCredits: CreditsInUse };
const replay = {
  /** True when an earlier request with the same idempotency key had already been answered. */
  replayed: v.pipe(v.boolean(), v.description('Whether an earlier request had been answered with this.')),
  /** Milliseconds since the epoch of the record that this balance was read from or written to. */
  updatedAt: v.pipe(
    v.nullable(Instant),
    v.description('When the balances were so, in milliseconds since the epoch; null where there are none.'),
  ),
};

/** Credits are whole numbers. All three balances are null for an account without credits. */
export const ConsumeResponse = v.strictObject({
  ok: v.literal(true),
  ...balances,
  /** Credits taken by this request; 0 for an account without credits, and for a feature whose gate takes none. */
  cost: Credits,
  ...replay,
});
export type ConsumeResponse = Output<typeof ConsumeResponse>;

/** As a consume's; the balances are what can be spent beside everything that is held. */
export const ReserveResponse = v.strictObject({
  ok: v.literal(true),
  /** The idempotency key: what confirm and release name. */
  reservation: v.string(),
  ...balances,
  /** Credits held; 0 where the feature takes none. */
  cost: Credits,
  /** Null where nothing is held: an account without credits, a gate that takes none. */
  expiresAt: v.pipe(
    v.nullable(Instant),
    v.description('Null where nothing is held, and so nothing has to be settled.'),
  ),
  // Not a constant: openapi-python-client 0.29.1 generates invalid Python for an optional one.
  hasEnded: v.exactOptional(
    v.pipe(
      v.boolean(),
      v.description(
        'Of a replay: confirmed, settled, released or expired since, so that nothing is held any more.',
      ),
    ),
  ),
  ...replay,
});
export type ReserveResponse = Output<typeof ReserveResponse>;

export const SettleResponse = v.strictObject({
  ok: v.literal(true),
  ...balances,
  /** Credits taken: the reservation's cost, or what was measured, less the shortfall; 0 for a release. */
  cost: Credits,
  /**
   * Credits that were to be taken and were not there: held ones that a reset or a refund had taken away meanwhile, and
   * what a settle asked for beyond those that were held.
   */
  shortfall: Credits,
  ...replay,
});
export type SettleResponse = Output<typeof SettleResponse>;

/** `balance` is what can be spent now, and `allowance` its part that ends with the period. */
export const BalanceResponse = v.strictObject({ balance: Credits, allowance: Credits });
export type BalanceResponse = Output<typeof BalanceResponse>;

export const UsageResponse = v.strictObject({
  entries: v.array(
    v.strictObject({
      id: v.string(),
      kind: v.picklist(LEDGER_KINDS),
      feature: v.nullable(v.string()),
      outcome: v.nullable(v.picklist(['granted', 'exhausted'])),
      deltaAllowance: Delta,
      deltaPack: Delta,
      balance: Delta,
      createdAt: Instant,
      receipt: v.exactOptional(Receipt),
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
});

/** Everything as it is now, whatever was stored when. */
export const AccountResponse = v.strictObject({
  uid: v.string(),
  /** The one word for all of it that pages show. */
  state: v.picklist(BILLING_STATES),
  paid: v.boolean(),
  plan: v.pipe(v.nullable(v.string()), v.description('Lookup key of the plan; null where there is none.')),
  planKind: v.nullable(v.picklist(['subscription', 'lifetime'])),
  status: v.pipe(
    v.nullable(v.string()),
    v.description('The provider’s word for the subscription: more may come.'),
  ),
  cancelAtPeriodEnd: v.boolean(),
  currentPeriodEnd: v.nullable(Instant),
  trialUsed: v.boolean(),
  entitlements: v.pipe(
    v.array(v.string()),
    v.description('By the catalogue’s names, sorted; `paid`, which every plan brings, is not among them.'),
  ),
  ...balances,
  updatedAt: replay.updatedAt,
});
export type AccountResponse = Output<typeof AccountResponse>;

/** Of a grant by hand and of its revocation. */
export const GrantResponse = v.strictObject({
  ok: v.literal(true),
  grant: v.pipe(v.string(), v.description('What revokes it.')),
  account: v.pipe(AccountResponse, v.description('All that the account has after it.')),
  replayed: replay.replayed,
});
export type GrantResponse = Output<typeof GrantResponse>;

export const DeleteAccountResponse = v.strictObject({
  deleted: v.literal(true),
  /** Subscriptions that this request ended at the provider; 0 when there were none, or an earlier request ended them. */
  canceledSubscriptions: Credits,
});
export type DeleteAccountResponse = Output<typeof DeleteAccountResponse>;

export const WebhookResponse = v.variant('outcome', [
  v.strictObject({ outcome: v.literal('applied'), uids: v.array(v.string()) }),
  v.strictObject({ outcome: v.literal('duplicate') }),
  v.strictObject({ outcome: v.literal('ignored') }),
]);
export type WebhookResponse = Output<typeof WebhookResponse>;

/**
 * The published types of the client name interfaces: types that follow from a schema would need valibot at adopters. The
 * compiler refuses this where schema and interface are not the same.
 */
export type UsageSchemaHolds = Holds<Same<Output<typeof UsageResponse>, PublishedUsageResponse>>;
