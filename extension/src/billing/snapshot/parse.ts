import type { EntitlementSnapshot } from './snapshot.ts';

/**
 * A stored value as a snapshot, or null where it is none: another version of the extension may have written it,
 * and the next write of the worker mends it.
 */
export function parseSnapshot(value: unknown): EntitlementSnapshot | null {
  if (typeof value !== 'object' || value === null) return null;
  const { uid, paid, state, credits, updatedAt } = value as Partial<
    Record<keyof EntitlementSnapshot, unknown>
  >;
  const wellFormed =
    (uid === null || typeof uid === 'string') &&
    typeof paid === 'boolean' &&
    typeof state === 'string' &&
    typeof credits === 'object' &&
    typeof updatedAt === 'number';
  return wellFormed ? (value as EntitlementSnapshot) : null;
}
