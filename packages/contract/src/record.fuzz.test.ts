import fc from 'fast-check';
import { Timestamp as ClientTimestamp } from 'firebase/firestore';
import { GeoPoint, Timestamp as ServerTimestamp } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { runs } from '../../../functions/test/fuzz/budget.ts';
import { CustomerFields, type CustomerRecord, encodeRecord, readRecord } from './record.ts';

const RUNS = runs(2_000);
const CREDIT_FIELDS = ['creditsRemaining', 'creditsAllowance', 'packCreditsRemaining'] as const;
type Credit = (typeof CREDIT_FIELDS)[number];
const RECORD_FIELDS = Object.keys(CustomerFields.entries);
const INNER_FIELDS = ['reservation', 'feature', 'credits', 'expiresAt', 'status', '__proto__'] as const;

/** An instant, before an SDK has made its Timestamp of it. */
class At {
  readonly millis: number;

  constructor(millis: number) {
    this.millis = millis;
  }
}
const instant = fc.nat().map((seconds) => new At(seconds * 1000));

/** Every kind of value that a Firestore document can hold. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.constantFrom('__proto__', 'active', '5', ''),
    fc.boolean(),
    fc.constant(null),
    fc.double(),
    fc.integer(),
    instant,
    fc.constant(new GeoPoint(1, 2)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...INNER_FIELDS, 'toMillis'), tie('value')),
  ),
}));
const hold = fc.record(
  { reservation: fc.string(), feature: fc.string(), credits: fc.integer(), expiresAt: instant },
  { requiredKeys: [] },
);
const stored = fc.oneof(
  fc.dictionary(fc.oneof(fc.constantFrom(...RECORD_FIELDS), fc.string()), value),
  fc.record({ creditsRemaining: fc.nat(), creditHolds: fc.array(hold, { maxLength: 3 }) }),
);

/** A document as an SDK gives it. */
function asGiven(held: unknown, toStamp: (millis: number) => unknown): unknown {
  if (held instanceof At) return toStamp(held.millis);
  if (Array.isArray(held)) return held.map((one) => asGiven(one, toStamp));
  if (typeof held !== 'object' || held === null || held instanceof GeoPoint) return held;
  return Object.fromEntries(Object.entries(held).map(([field, one]) => [field, asGiven(one, toStamp)]));
}
const toServerStamp = (millis: number) => ServerTimestamp.fromMillis(millis);
const toClientStamp = (millis: number) => ClientTimestamp.fromMillis(millis);
const read = (data: unknown) => readRecord(data as Record<string, unknown>);

it('whatever is stored, server and client read the same record of it', () => {
  fc.assert(
    fc.property(stored, (data) => {
      expect(read(asGiven(data, toServerStamp))).toEqual(read(asGiven(data, toClientStamp)));
    }),
    RUNS,
  );
});

it('whatever is stored is read as whole credits and instants, without undefined, and nothing is thrown', () => {
  fc.assert(
    fc.property(stored, (data) => {
      const record = read(asGiven(data, toServerStamp));
      if (record === null) throw new Error('a document is a record');
      const credits = CREDIT_FIELDS.map((field) => record[field]).filter((amount) => amount !== undefined);
      for (const amount of [...credits, ...(record.creditHolds ?? []).map((held) => held.credits)]) {
        expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
      }
      expect(
        Object.keys(record).filter((field) => !(RECORD_FIELDS as readonly string[]).includes(field)),
      ).toEqual([]);
      expect(Object.values(record)).not.toContain(undefined);
      expect(record.paid).toBe('paid' in data && data.paid === true);
    }),
    RUNS,
  );
});

it('what is written is read again as it was, all of it', () => {
  const amount = fc.nat();
  const text = fc.option(fc.string());
  const time = fc.nat();
  const known: {
    readonly [Field in Exclude<keyof CustomerRecord, Credit>]-?: fc.Arbitrary<
      Required<CustomerRecord>[Field]
    >;
  } = {
    paid: fc.boolean(),
    plan: text,
    planKind: fc.constantFrom('subscription', 'lifetime'),
    status: text,
    cancelAtPeriodEnd: fc.boolean(),
    currentPeriodEnd: fc.option(time),
    customerId: text,
    trialUsed: fc.boolean(),
    updatedAt: time,
    entitledUntil: fc.option(time),
    entitlements: fc.array(fc.string()),
    entitlementsUntil: fc.dictionary(fc.constantFrom('basic', 'pro', 'team'), time),
    monthlyCredits: amount,
    plannedChange: fc.record({ plan: text, at: time }),
    creditHolds: fc.array(
      fc.record({ reservation: fc.string(), feature: fc.string(), credits: amount, expiresAt: time }),
      { minLength: 1, maxLength: 3 },
    ),
    allowances: fc.array(
      fc.record(
        {
          source: fc.string(),
          kind: fc.constantFrom('allowance', 'pack'),
          amount,
          every: fc.constantFrom('month', 'week', 'day', '5h', 'once'),
          anchor: time,
          from: time,
          until: fc.option(time),
          grace: amount,
          rollover: amount,
          limits: fc.array(fc.record({ amount, every: fc.constantFrom('day', '12h') }), { maxLength: 2 }),
          left: amount,
          period: time,
          used: fc.array(fc.record({ start: time, credits: amount }), { maxLength: 2 }),
        },
        { requiredKeys: ['source', 'kind', 'amount', 'every', 'anchor', 'from', 'until', 'left', 'period'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    renewal: fc.record(
      {
        amount,
        currency: fc.constantFrom('usd', 'jpy'),
        interval: fc.constantFrom('day', 'week', 'month', 'year'),
        count: fc.integer({ min: 1, max: 12 }),
      },
      { requiredKeys: ['amount', 'currency', 'interval'] },
    ),
    runningSubscription: fc.record({
      plan: text,
      status: fc.string(),
      currentPeriodEnd: fc.option(time),
      cancelAtPeriodEnd: fc.boolean(),
    }),
  };
  const credits = fc.tuple(amount, amount).map(([creditsAllowance, packCreditsRemaining]) => ({
    creditsRemaining: creditsAllowance + packCreditsRemaining,
    creditsAllowance,
    packCreditsRemaining,
  }));
  const optional = [
    'entitledUntil',
    'monthlyCredits',
    'creditHolds',
    'allowances',
    'renewal',
    'runningSubscription',
  ] as const;
  fc.assert(
    fc.property(fc.record(known), fc.subarray([...optional]), fc.option(credits), (fields, absent, owned) => {
      const whole: CustomerRecord = { ...fields, ...owned };
      const record = Object.fromEntries(
        Object.entries(whole).filter(([field]) => !(absent as readonly string[]).includes(field)),
      ) as CustomerRecord;
      expect(readRecord(encodeRecord(record, toServerStamp))).toEqual(record);
    }),
    RUNS,
  );
});
