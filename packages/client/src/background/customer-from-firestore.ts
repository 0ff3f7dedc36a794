import type { CreditHold, CustomerRecord, Millis } from '@extension-billing/contract/customer';
import { creditsIn, readCreditFields } from '@extension-billing/contract/read-credits';

/**
 * `customers/{uid}` as Firestore gives it, translated. The document comes over the network from a service that may be
 * newer than this extension, so a field of another type counts as absent, and credits of another type as none left.
 */
export function translateCustomer(data: Readonly<Record<string, unknown>>): CustomerRecord {
  const monthlyCredits = creditsIn(data.monthlyCredits);
  return {
    paid: data.paid === true,
    plan: textOrNull(data.plan),
    status: textOrNull(data.status),
    cancelAtPeriodEnd: data.cancelAtPeriodEnd === true,
    currentPeriodEnd: millisOrNull(data.currentPeriodEnd),
    customerId: textOrNull(data.customerId),
    trialUsed: data.trialUsed === true,
    updatedAt: millisOrNull(data.updatedAt) ?? 0,
    ...entitledUntilOf(data.entitledUntil),
    ...readCreditFields(data),
    ...(monthlyCredits === undefined ? {} : { monthlyCredits }),
    ...runningOf(data.runningSubscription),
    ...(Array.isArray(data.creditHolds) ? { creditHolds: data.creditHolds.flatMap(translateHold) } : {}),
  };
}

/** Absent in a record written before there was a bound. */
function entitledUntilOf(value: unknown): Pick<CustomerRecord, 'entitledUntil'> {
  const until = millisOrNull(value);
  return until === null && value !== null ? {} : { entitledUntil: until };
}

/** Absent where nothing runs beside a lifetime plan. */
function runningOf(value: unknown): Pick<CustomerRecord, 'runningSubscription'> {
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd } = (value ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof status !== 'string') return {};
  return {
    runningSubscription: {
      plan: textOrNull(plan),
      status,
      currentPeriodEnd: millisOrNull(currentPeriodEnd),
      cancelAtPeriodEnd: cancelAtPeriodEnd === true,
    },
  };
}

function translateHold(value: unknown): CreditHold[] {
  const { reservation, feature, credits, expiresAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const until = millisOrNull(expiresAt);
  const held = creditsIn(credits);
  if (typeof reservation !== 'string' || held === undefined || until === null) return [];
  return [{ reservation, feature: textOrNull(feature) ?? '', credits: held, expiresAt: until }];
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function millisOrNull(value: unknown): Millis | null {
  if (typeof value !== 'object' || value === null || !('toMillis' in value)) return null;
  return typeof value.toMillis === 'function' ? value.toMillis() : null;
}
