import type { CreditHold, CustomerRecord, RunningSubscription } from '@extension-billing/contract/customer';
import { creditsIn, readCreditFields } from '@extension-billing/contract/read-credits';
import { type DocumentData, type DocumentSnapshot, FieldValue, Timestamp } from 'firebase-admin/firestore';
import { SCHEMA_VERSION } from './schema-version.ts';

/**
 * `customers/{uid}` as the code sees it; null where there is none. A field of another type counts as absent, credits of
 * another type as none left.
 */
export function readCustomer(snapshot: DocumentSnapshot | undefined): CustomerRecord | null {
  const data = snapshot?.data();
  if (data === undefined) return null;
  const monthlyCredits = creditsIn(data.monthlyCredits);
  const creditHolds = holds(data.creditHolds);
  const runningSubscription = running(data.runningSubscription);
  return {
    paid: data.paid === true,
    plan: text(data.plan),
    status: text(data.status),
    cancelAtPeriodEnd: data.cancelAtPeriodEnd === true,
    currentPeriodEnd: millis(data.currentPeriodEnd),
    customerId: text(data.customerId),
    trialUsed: data.trialUsed === true,
    updatedAt: millis(data.updatedAt) ?? 0,
    ...(data.entitledUntil !== undefined && { entitledUntil: millis(data.entitledUntil) }),
    ...readCreditFields(data),
    ...(monthlyCredits !== undefined && { monthlyCredits }),
    ...(creditHolds.length > 0 && { creditHolds }),
    ...(runningSubscription !== null && { runningSubscription }),
  };
}

/**
 * The record as Firestore holds it, to be merged into what is there. What is held is no event's business, so it is left
 * as it is; a subscription that no longer runs is taken away.
 */
export function toCustomerDocument({
  creditHolds: _,
  runningSubscription: running,
  ...record
}: CustomerRecord): DocumentData {
  return {
    ...record,
    schemaVersion: SCHEMA_VERSION,
    currentPeriodEnd: timestamp(record.currentPeriodEnd),
    updatedAt: Timestamp.fromMillis(record.updatedAt),
    ...(record.entitledUntil !== undefined && { entitledUntil: timestamp(record.entitledUntil) }),
    runningSubscription:
      running === undefined
        ? FieldValue.delete()
        : { ...running, currentPeriodEnd: timestamp(running.currentPeriodEnd) },
  };
}

/** A list, since a reservation's key may be no field name (`__a__`). The field goes when nothing is held. */
export function toHoldsField(open: readonly CreditHold[]): DocumentData[] | FieldValue {
  if (open.length === 0) return FieldValue.delete();
  return open.map((hold) => ({ ...hold, expiresAt: Timestamp.fromMillis(hold.expiresAt) }));
}

function holds(value: unknown): readonly CreditHold[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((stored: unknown): CreditHold[] => {
    const hold = (stored ?? {}) as DocumentData;
    const [reservation, feature, held] = [
      text(hold.reservation),
      text(hold.feature),
      creditsIn(hold.credits),
    ];
    const expiresAt = millis(hold.expiresAt);
    if (reservation === null || feature === null || held === undefined || expiresAt === null) return [];
    return [{ reservation, feature, credits: held, expiresAt }];
  });
}

/** Null for what names no status: a page would not know what to say of it. */
function running(value: unknown): RunningSubscription | null {
  const stored = (value ?? {}) as DocumentData;
  const status = text(stored.status);
  if (status === null) return null;
  return {
    plan: text(stored.plan),
    status,
    currentPeriodEnd: millis(stored.currentPeriodEnd),
    cancelAtPeriodEnd: stored.cancelAtPeriodEnd === true,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function timestamp(instant: number | null): Timestamp | null {
  return instant === null ? null : Timestamp.fromMillis(instant);
}

function millis(value: unknown): number | null {
  return value instanceof Timestamp ? value.toMillis() : null;
}
