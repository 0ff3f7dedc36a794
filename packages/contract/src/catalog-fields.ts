import * as v from 'valibot';
import { isPeriod, type Period } from './period.ts';

// What fields of a catalogue may be, each with the words that follow its place where it is something else.

export const wholeNumber = (least: number, most: number, what: string) =>
  v.pipe(
    v.number(`must be ${what}`),
    v.integer(`must be ${what}`),
    v.minValue(least, `must be ${what}`),
    v.maxValue(most, `must be ${what}`),
  );
export const text = (most: number, what: string) =>
  v.pipe(
    v.string(`must be ${what}`),
    v.minLength(1, `must be ${what}`),
    v.maxLength(most, `must be ${what}`),
  );
export const list = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.readonly());
export const strict = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(v.strictObject(entries), v.readonly());
export const optional = v.exactOptional;
export const byName = <Key extends v.GenericSchema<string, string>, Value extends v.GenericSchema>(
  key: Key,
  value: Value,
) => v.pipe(v.record(key, value), v.readonly());

/** The most that Stripe takes for one price: eight digits. */
const MAX_AMOUNT = 99_999_999;
export const LookupKey = text(
  200,
  'named by the lookup key of its price at the provider, 1 to 200 characters',
);
export const Amount = wholeNumber(0, MAX_AMOUNT, 'a whole number of minor currency units (1900 for $19.00)');
export const Currency = v.pipe(
  v.string('must be a currency code'),
  v.regex(/^[a-z]{3}$/, 'must be a currency of three lower-case letters, like "usd"'),
);
export const Credits = (least: number) =>
  wholeNumber(least, 1_000_000_000, `a whole number of credits from ${least}`);
export const Gate = v.picklist(['metered', 'paywall', 'none'], 'must be "metered", "paywall" or "none"');

export const Every = v.custom<Period>(
  isPeriod,
  'must be "month", "week", "day" or a number of hours like "5h"',
);
export const EveryOrOnce = v.custom<Period | 'once'>(
  (value) => value === 'once' || isPeriod(value),
  'must be "once", "month", "week", "day" or a number of hours like "5h"',
);
export const Limits = list(strict({ amount: Credits(1), every: Every }));

/** Names are values of the provider's metadata, where commas part them, and keys in code. */
export const EntitlementName = v.pipe(
  v.string('must be the name of an entitlement'),
  v.regex(/^[A-Za-z][\w-]{0,39}$/, 'must be a name of 1 to 40 letters, digits, "_" or "-", a letter first'),
  v.check((name) => name !== 'paid', 'must not be "paid": any paying plan has that one by itself'),
);
