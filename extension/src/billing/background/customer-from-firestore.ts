import type { CreditHold, CustomerRecord, Millis } from '@contract/customer.ts';

/**
 * `customers/{uid}` as Firestore gives it, translated. The document comes over the network from a service that may be
 * newer than this extension, so a field of another type counts as absent.
 */
export function translateCustomer(data: Readonly<Record<string, unknown>>): CustomerRecord {
  return {
    paid: data.paid === true,
    plan: textOrNull(data.plan),
    status: textOrNull(data.status),
    cancelAtPeriodEnd: data.cancelAtPeriodEnd === true,
    currentPeriodEnd: millisOrNull(data.currentPeriodEnd),
    customerId: textOrNull(data.customerId),
    trialUsed: data.trialUsed === true,
    updatedAt: millisOrNull(data.updatedAt) ?? 0,
    ...credits(data, 'creditsRemaining'),
    ...credits(data, 'creditsAllowance'),
    ...credits(data, 'packCreditsRemaining'),
    ...credits(data, 'monthlyCredits'),
    ...(Array.isArray(data.creditHolds) ? { creditHolds: data.creditHolds.flatMap(translateHold) } : {}),
  };
}

function translateHold(value: unknown): CreditHold[] {
  const { reservation, feature, credits, expiresAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const until = millisOrNull(expiresAt);
  if (typeof reservation !== 'string' || typeof credits !== 'number' || until === null) return [];
  return [{ reservation, feature: textOrNull(feature) ?? '', credits, expiresAt: until }];
}

type CreditField = 'creditsRemaining' | 'creditsAllowance' | 'packCreditsRemaining' | 'monthlyCredits';

function credits(data: Readonly<Record<string, unknown>>, field: CreditField): Partial<CustomerRecord> {
  const value = data[field];
  return typeof value === 'number' && Number.isFinite(value) ? { [field]: value } : {};
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function millisOrNull(value: unknown): Millis | null {
  if (typeof value !== 'object' || value === null || !('toMillis' in value)) return null;
  return typeof value.toMillis === 'function' ? value.toMillis() : null;
}
