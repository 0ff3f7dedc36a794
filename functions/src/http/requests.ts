import * as v from 'valibot';

/**
 * What the routes take. The OpenAPI document is made from these very schemas (functions/openapi), so what it says
 * and what a route refuses cannot differ.
 */

/** Becomes a part of a document id. */
export const IdempotencyKey = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,128}$/));

const Feature = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

export const CheckoutBody = v.strictObject({ lookup_key: v.pipe(v.string(), v.maxLength(200)) });

/** `{}`, or no body at all. */
export const NoFields = v.strictObject({});

export const ConsumeBody = v.strictObject({ feature: Feature });

const LONGEST_SECONDS = 24 * 60 * 60;
const DEFAULT_SECONDS = 15 * 60;
const Seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LONGEST_SECONDS));

export const ReserveBody = v.strictObject({
  feature: Feature,
  expiresInSeconds: v.optional(Seconds, DEFAULT_SECONDS),
});

/** A reservation is named by the idempotency key of its reserve. */
export const SettleBody = v.strictObject({ reservation: IdempotencyKey });

const Text = v.optional(v.pipe(v.string(), v.maxLength(2_100)));

/** Texts, as a query holds them; the route reads days, instants, the cursor and the limit out of them. */
export const UsageQuery = v.strictObject({ from: Text, to: Text, cursor: Text, limit: Text });

/** Entries of one page of the usage. */
export const MOST_ENTRIES = 500;
export const DEFAULT_ENTRIES = 100;
export const UsageLimit = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_ENTRIES));
