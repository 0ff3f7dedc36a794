import { BILLING_STATES } from '@extension-billing/contract/billing-states';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../functions/test/fuzz/budget.ts';
import { oddText } from '../../../../functions/test/fuzz/odd-values.ts';
import { aRecord, aSnapshot } from '../../test/factories.ts';
import { hostileValue } from '../../test/hostile-values.ts';
import { billingStateView } from './access.ts';
import { projectRecord, signedOutSnapshot } from './project.ts';
import { type EntitlementSnapshot, parseSnapshot } from './snapshot.ts';
import { creditsView, entitlementView } from './views.ts';

const RUNS = runs(2_000);
const FIELDS = Object.keys(aSnapshot()) as (keyof EntitlementSnapshot)[];

/** A stored snapshot of which some fields were lost, and others are what they should not be. */
const damaged = fc
  .tuple(fc.subarray(FIELDS), fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), oddText), hostileValue))
  .map(([lost, odd]) => {
    const kept = Object.entries(aSnapshot()).filter(([field]) => !lost.includes(field as never));
    return { ...Object.fromEntries(kept), ...odd };
  });

function expectWellFormed(snapshot: EntitlementSnapshot): void {
  expect(Object.keys(snapshot)).toEqual(FIELDS);
  expect(BILLING_STATES).toContain(snapshot.state);
  const { uid, plan, status, currentPeriodEnd, credits } = snapshot;
  for (const text of [uid, plan, status]) expect(text === null || typeof text === 'string').toBe(true);
  // Intl throws for a time that no Date can hold, and a page that shows it would be blank.
  const times = [
    ...[currentPeriodEnd, snapshot.entitledUntil, snapshot.plannedChange?.at],
    ...[
      snapshot.updatedAt,
      snapshot.mirroredAt,
      snapshot.contactAt,
      snapshot.runningSubscription?.currentPeriodEnd,
    ],
    ...Object.values(snapshot.entitlementsUntil),
  ];
  for (const time of times) new Intl.DateTimeFormat('en').format(time ?? 0);
  for (const amount of Object.values(credits ?? {})) {
    expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
  }
}

it('whatever is stored is a whole snapshot, or nothing known: never a half one', () => {
  fc.assert(
    fc.property(fc.oneof(hostileValue, damaged), (stored) => {
      const snapshot = parseSnapshot(stored);
      if (snapshot !== null) expectWellFormed(snapshot);
    }),
    RUNS,
  );
});

it('damage never shows a user as another state than was stored: the same, or loading', () => {
  fc.assert(
    fc.property(damaged, (stored) => {
      const snapshot = parseSnapshot(stored);
      if (snapshot === null) {
        expect(entitlementView(snapshot)).toEqual({ entitled: false, loading: true });
        expect(billingStateView(snapshot)).toBeNull();
        return;
      }
      expect([snapshot.uid, snapshot.paid, snapshot.state]).toEqual([stored.uid, stored.paid, stored.state]);
      // Credits that cannot be read are not the same as credits that are not in use.
      expect(creditsView(snapshot).balance === null).toBe(stored.credits === null);
    }),
    RUNS,
  );
});

it('what the worker writes is read as it was written, in whatever order the storage gives it', () => {
  const record = fc.record({
    paid: fc.boolean(),
    plan: fc.option(oddText),
    status: fc.option(fc.constantFrom('active', 'trialing', 'past_due', 'unpaid', 'canceled', 'new_word')),
    cancelAtPeriodEnd: fc.boolean(),
    currentPeriodEnd: fc.option(fc.nat()),
    trialUsed: fc.boolean(),
    updatedAt: fc.nat(),
  });
  fc.assert(
    fc.property(oddText, fc.option(record), fc.nat(), (uid, fields, now) => {
      const written = projectRecord(uid, fields === null ? null : aRecord(fields), now);
      const stored = JSON.parse(JSON.stringify(written, [...FIELDS, ...CREDITS].sort()));
      expect(parseSnapshot(stored)).toEqual(written);
      expect(JSON.stringify(parseSnapshot(stored))).toBe(JSON.stringify(written));
    }),
    RUNS,
  );
  expect(parseSnapshot(signedOutSnapshot(5))).toEqual(signedOutSnapshot(5));
});
const CREDITS = Object.keys(aSnapshot().credits ?? {});

it('reads the snapshot of an earlier version, which had fewer fields', () => {
  const { hasCustomer: _, trialUsed: __, ...earlier } = aSnapshot();
  expect(parseSnapshot({ ...earlier, credits: { balance: 7, allowance: 4 } })).toEqual({
    ...aSnapshot(),
    hasCustomer: false,
    trialUsed: false,
    credits: { balance: 7, allowance: 4, packCredits: 3, monthlyCredits: 0 },
  });
});
