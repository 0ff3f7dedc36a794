import { type DocumentData, type DocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import type { CustomerRecord } from '../contract/customer.ts';

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
  };
}

/** The record as Firestore holds it. */
export function toCustomerDocument(record: CustomerRecord): DocumentData {
  return {
    ...record,
    currentPeriodEnd: record.currentPeriodEnd === null ? null : Timestamp.fromMillis(record.currentPeriodEnd),
    updatedAt: Timestamp.fromMillis(record.updatedAt),
  };
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
