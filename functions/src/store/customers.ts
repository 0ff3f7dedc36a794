import { type DocumentData, type DocumentSnapshot, FieldValue, Timestamp } from 'firebase-admin/firestore';
import type { CreditHold, CustomerRecord } from '../contract/customer.ts';

/** `customers/{uid}` as the code sees it; null where there is none. A field of another type counts as absent. */
export function readCustomer(snapshot: DocumentSnapshot | undefined): CustomerRecord | null {
  const data = snapshot?.data();
  if (data === undefined) return null;
  const creditsAllowance = credits(data.creditsAllowance);
  // A record from elsewhere may know only one number: nobody granted it for a month, so it does not expire.
  const packCreditsRemaining =
    credits(data.packCreditsRemaining) ??
    (creditsAllowance === undefined ? credits(data.creditsRemaining) : undefined);
  const monthlyCredits = credits(data.monthlyCredits);
  const creditHolds = holds(data.creditHolds);
  const inUse = creditsAllowance !== undefined || packCreditsRemaining !== undefined;
  return {
    paid: data.paid === true,
    plan: text(data.plan),
    status: text(data.status),
    cancelAtPeriodEnd: data.cancelAtPeriodEnd === true,
    currentPeriodEnd: millis(data.currentPeriodEnd),
    customerId: text(data.customerId),
    trialUsed: data.trialUsed === true,
    updatedAt: millis(data.updatedAt) ?? 0,
    ...(inUse && {
      creditsRemaining: (creditsAllowance ?? 0) + (packCreditsRemaining ?? 0),
      creditsAllowance: creditsAllowance ?? 0,
      packCreditsRemaining: packCreditsRemaining ?? 0,
    }),
    ...(monthlyCredits !== undefined && { monthlyCredits }),
    ...(creditHolds.length > 0 && { creditHolds }),
  };
}

/** The record as Firestore holds it. What is held is no event's business, so it is left as it is. */
export function toCustomerDocument({ creditHolds: _, ...record }: CustomerRecord): DocumentData {
  return {
    ...record,
    currentPeriodEnd: record.currentPeriodEnd === null ? null : Timestamp.fromMillis(record.currentPeriodEnd),
    updatedAt: Timestamp.fromMillis(record.updatedAt),
  };
}

/** A list, since a reservation's key may be no field name (`__a__`). The field goes when nothing is held. */
export function toHoldsField(open: readonly CreditHold[]): DocumentData[] | FieldValue {
  if (open.length === 0) return FieldValue.delete();
  return open.map((hold) => ({ ...hold, expiresAt: Timestamp.fromMillis(hold.expiresAt) }));
}

function holds(value: unknown): readonly CreditHold[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((hold: DocumentData): CreditHold[] => {
    const [reservation, feature, held] = [text(hold.reservation), text(hold.feature), credits(hold.credits)];
    const expiresAt = millis(hold.expiresAt);
    if (reservation === null || feature === null || held === undefined || expiresAt === null) return [];
    return [{ reservation, feature, credits: held, expiresAt }];
  });
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function credits(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function millis(value: unknown): number | null {
  return value instanceof Timestamp ? value.toMillis() : null;
}
