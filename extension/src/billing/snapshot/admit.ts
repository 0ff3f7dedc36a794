import type { Millis } from '@contract/customer.ts';
import type { EntitlementSnapshot, SnapshotCredits } from './snapshot.ts';

/** How long an unchanged snapshot stays before it is written again to say that it was confirmed. */
const CONFIRM_AFTER_MS: Millis = 60_000;

/**
 * The listener's copy of the record, against what is stored: the snapshot to write, or null to leave it.
 * An older record of the same user never replaces a newer one: after a consume the listener may still deliver the
 * state before it. A record that the server says is gone (`updatedAt` 0) is believed.
 */
export function admitRecord(
  stored: EntitlementSnapshot | null,
  candidate: EntitlementSnapshot,
): EntitlementSnapshot | null {
  if (stored === null || stored.uid !== candidate.uid) return candidate;
  if (candidate.updatedAt !== 0 && candidate.updatedAt < stored.updatedAt) return null;
  const unchanged = sameContent(stored, candidate);
  return unchanged && candidate.mirroredAt - stored.mirroredAt < CONFIRM_AFTER_MS ? null : candidate;
}

/** A balance that a consume answered, with the instant of the record that it belongs to. */
export interface BalanceReport {
  readonly uid: string;
  readonly credits: Pick<SnapshotCredits, 'balance' | 'allowance' | 'packCredits'>;
  readonly updatedAt: Millis;
}

/**
 * A consume's balance against what is stored: the snapshot to write, or null to leave it. Only a newer instant is
 * taken: of two states within one millisecond the listener's is the last word. Without a snapshot of that user there is
 * nothing to add a balance to, and the listener brings the whole record.
 */
export function admitBalance(
  stored: EntitlementSnapshot | null,
  report: BalanceReport,
  mirroredAt: Millis,
): EntitlementSnapshot | null {
  if (stored === null || stored.uid !== report.uid || report.updatedAt <= stored.updatedAt) return null;
  const monthlyCredits = stored.credits?.monthlyCredits ?? 0;
  return {
    ...stored,
    credits: { ...report.credits, monthlyCredits },
    updatedAt: report.updatedAt,
    mirroredAt,
  };
}

function sameContent(a: EntitlementSnapshot, b: EntitlementSnapshot): boolean {
  const withoutTime = ({ mirroredAt: _, contactAt: __, ...rest }: EntitlementSnapshot) =>
    JSON.stringify(rest);
  return withoutTime(a) === withoutTime(b);
}
