import { CustomerFields, readRecord } from '@extension-billing/contract/record';
import fc from 'fast-check';
import { Bytes, GeoPoint, Timestamp } from 'firebase/firestore';
import { expect, it } from 'vitest';
import { runs } from '../../../../functions/test/fuzz/budget.ts';
import { oddText } from '../../../../functions/test/fuzz/odd-values.ts';
import { projectRecord } from './project.ts';

const RUNS = runs(2_000);
const CREDIT_FIELDS = ['creditsRemaining', 'creditsAllowance', 'packCreditsRemaining'] as const;
const FIELDS = Object.keys(CustomerFields.entries);

/** Every kind of value that a Firestore document can hold. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    oddText,
    fc.boolean(),
    fc.constant(null),
    fc.double(),
    fc.integer(),
    fc.integer({ min: 0 }).map((millis) => Timestamp.fromMillis(millis)),
    fc.constantFrom(new GeoPoint(1, 2), Bytes.fromUint8Array(new Uint8Array([255]))),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('reservation', 'feature', 'credits', 'expiresAt', 'toMillis'),
      tie('value'),
    ),
  ),
}));
const document = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), oddText), value);

it('whatever the document holds is a record that can be shown: whole credits, instants, known states', () => {
  fc.assert(
    fc.property(document, (data) => {
      const snapshot = projectRecord('ada', readRecord(data), 1_000);
      for (const amount of Object.values(snapshot.credits ?? {})) {
        expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
      }
      expect(Number.isSafeInteger(snapshot.updatedAt)).toBe(true);
      expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    }),
    RUNS,
  );
});

it('a paid record stays paid, whatever else of it is damaged', () => {
  fc.assert(
    fc.property(document, (data) => {
      const snapshot = projectRecord('ada', readRecord({ ...data, paid: true }), 1_000);
      expect(snapshot.paid).toBe(true);
      expect(snapshot.state).not.toBe('free');
    }),
    RUNS,
  );
});

it('damaged credits are none left, which is not the same as not in use', () => {
  const anyButNothing = value.filter((found) => found !== null);
  fc.assert(
    fc.property(document, fc.constantFrom(...CREDIT_FIELDS), anyButNothing, (data, field, found) => {
      expect(projectRecord('ada', readRecord({ ...data, [field]: found }), 1_000).credits).not.toBeNull();
    }),
    RUNS,
  );
});
