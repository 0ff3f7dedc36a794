import { CustomerFields } from '@extension-billing/contract/record';
import fc from 'fast-check';
import {
  type DocumentData,
  type DocumentSnapshot,
  FieldValue,
  GeoPoint,
  Timestamp,
} from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { runs } from '../../test/fuzz/budget.ts';
import { creditsOf, decideGroup } from '../credits/decide.ts';
import { readCustomer, toCustomerDocument } from './documents.ts';

const RUNS = runs(2_000);
const NOW = 1_795_000_000_000;
const CREDIT_FIELDS = ['creditsRemaining', 'creditsAllowance', 'packCreditsRemaining'] as const;
const FIELDS = Object.keys(CustomerFields.entries);
const HOLD_FIELDS = ['reservation', 'feature', 'credits', 'expiresAt'] as const;

/** Every kind of value that a Firestore document can hold. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.string(),
    fc.constantFrom('__proto__', 'active', '5', ''),
    fc.boolean(),
    fc.constant(null),
    fc.double(),
    fc.integer(),
    fc.nat().map((seconds) => Timestamp.fromMillis(seconds * 1000)),
    fc.constant(new GeoPoint(1, 2)),
    fc.constant(Buffer.from([255])),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...HOLD_FIELDS, '__proto__'), tie('value')),
  ),
}));
const stored = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), value);

function read(data: object) {
  return readCustomer({ data: () => data as DocumentData } as DocumentSnapshot);
}

it('damaged credits refuse, or spend what is left: no feature runs free', () => {
  const something = value.filter((found) => found !== null);
  fc.assert(
    fc.property(stored, fc.constantFrom(...CREDIT_FIELDS), something, (data, field, found) => {
      const credits = creditsOf(read({ ...data, [field]: found }));
      const command = { kind: 'consume', key: 'k', feature: 'demo', cost: 1 } as const;
      const [decision] = decideGroup([command], credits, new Map(), NOW).decisions;
      expect(['granted', 'exhausted']).toContain(decision?.kind);
    }),
    RUNS,
  );
});

it('what is written is read again as it was', () => {
  const amount = fc.nat();
  const record = fc.record({
    paid: fc.boolean(),
    plan: fc.option(fc.string()),
    status: fc.option(fc.string()),
    cancelAtPeriodEnd: fc.boolean(),
    currentPeriodEnd: fc.option(fc.nat()),
    customerId: fc.option(fc.string()),
    trialUsed: fc.boolean(),
    updatedAt: fc.nat(),
    creditsAllowance: amount,
    packCreditsRemaining: amount,
    monthlyCredits: amount,
  });
  fc.assert(
    fc.property(record, (fields) => {
      const creditsRemaining = fields.creditsAllowance + fields.packCreditsRemaining;
      const whole = { ...fields, creditsRemaining };
      // What is to be removed is not there any more once it is stored.
      const stored = Object.entries(toCustomerDocument(whole)).filter(
        ([, value]) => !(value instanceof FieldValue),
      );
      expect(read(Object.fromEntries(stored))).toEqual(whole);
    }),
    RUNS,
  );
});
