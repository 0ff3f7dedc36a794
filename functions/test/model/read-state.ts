import type { Renewal } from '@extension-billing/contract/customer';
import { type DocumentData, type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { State, StoredEntry, StoredRecord } from './service.ts';

/** Reads what is stored of one user, past the service (design, section 4). */
export async function readState(firestore: Firestore, uid: string): Promise<State> {
  const ref = firestore.doc(`customers/${uid}`);
  const [customer, ledger] = await Promise.all([ref.get(), ref.collection('credit_ledger').get()]);
  const data = customer.data();
  return {
    record: data === undefined ? null : recordOf(data),
    ledger: new Map(ledger.docs.map((entry) => [entry.id, entryOf(entry.data())])),
  };
}

export function recordOf(data: DocumentData): StoredRecord {
  const { currentPeriodEnd, entitledUntil } = data;
  return {
    paid: data.paid ?? false,
    plan: data.plan ?? null,
    planKind: data.planKind ?? null,
    entitlements: data.entitlements ?? [],
    entitlementsUntil: boundsOf(data.entitlementsUntil),
    status: data.status ?? null,
    cancelAtPeriodEnd: data.cancelAtPeriodEnd ?? false,
    currentPeriodEnd: currentPeriodEnd instanceof Timestamp ? currentPeriodEnd.toMillis() : null,
    entitledUntil: entitledUntil instanceof Timestamp ? entitledUntil.toMillis() : null,
    customerId: data.customerId ?? null,
    trialUsed: data.trialUsed ?? false,
    renewal: renewalOf(data.renewal),
    plannedChange: plannedOf(data.plannedChange),
    creditsRemaining: data.creditsRemaining,
    creditsAllowance: data.creditsAllowance,
    packCreditsRemaining: data.packCreditsRemaining,
    runningBeside: data.runningSubscription?.status,
    holds: holdsOf(data.creditHolds),
  };
}

function renewalOf(stored: Renewal | undefined): StoredRecord['renewal'] {
  if (stored === undefined) return null;
  const { amount, currency, interval, ...others } = stored;
  return { amount, currency, interval, ...others };
}

function plannedOf(stored: { plan: string; at: Timestamp } | undefined): StoredRecord['plannedChange'] {
  return stored === undefined ? null : { plan: stored.plan, at: stored.at.toMillis() };
}

function boundsOf(stored: unknown): StoredRecord['entitlementsUntil'] {
  const bounds = Object.entries((stored ?? {}) as Record<string, Timestamp>);
  return bounds.map(([name, until]) => [name, until.toMillis()] as const).sort();
}

function holdsOf(stored: unknown): StoredRecord['holds'] {
  const holds = (stored ?? []) as { reservation: string; credits: number; expiresAt: Timestamp }[];
  return new Map(
    holds.map(({ reservation, credits, expiresAt }) => [
      reservation,
      { credits, expiresAt: expiresAt.toMillis() },
    ]),
  );
}

export function entryOf(data: DocumentData): StoredEntry {
  const { kind, deltaAllowance, deltaPack, allowance, packCredits, outcome, cost, held, shortfall } = data;
  const createdAt = data.createdAt instanceof Timestamp ? data.createdAt.toMillis() : undefined;
  const says = { kind, deltaAllowance, deltaPack, allowance, packCredits, outcome, cost, held, shortfall };
  return { ...says, createdAt };
}
