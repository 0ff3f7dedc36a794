import type { Millis } from '@extension-billing/contract/customer';
import type { EntitlementSnapshot, SnapshotCredits } from './snapshot.ts';

/** How long an unchanged snapshot stays before it is written again to say that it was confirmed. */
const CONFIRM_AFTER_MS: Millis = 60_000;
/** A stored instant that is further ahead than any clock is wrong by was not written by this extension. */
const CLOCK_TOLERANCE_MS: Millis = 2 * 86_400_000;

/**
 * The listener's copy of the record, against what is known: the snapshot to write, or null to leave it. The listener's
 * word is the server's, so it replaces whatever was stored, newer-looking or not: a foreign write, a record that was
 * restored from a backup. One thing can be newer than it: a consume's answer that came after the listener had started
 * (`answered`, the record's instant in the newest of these; 0 for none). A record that the server says is gone
 * (`updatedAt` 0) is believed.
 */
export function admitRecord(
  known: EntitlementSnapshot | null,
  candidate: EntitlementSnapshot,
  answered: Millis,
): EntitlementSnapshot | null {
  if (candidate.updatedAt !== 0 && candidate.updatedAt < answered) return null;
  if (known === null || !sameContent(known, candidate)) return candidate;
  return candidate.contactAt - known.contactAt < CONFIRM_AFTER_MS ? null : candidate;
}

/** A balance that a consume answered, with the instant of the record that it belongs to. */
export interface BalanceReport {
  readonly uid: string;
  readonly credits: Pick<SnapshotCredits, 'balance' | 'allowance' | 'packCredits'>;
  readonly updatedAt: Millis;
}

/**
 * A consume's balance against what is known: the snapshot to write, or null to leave it. Only a newer instant is
 * taken: of two states within one millisecond the listener's is the last word. Without a snapshot of that user there is
 * nothing to add a balance to, and the listener brings the whole record.
 */
export function admitBalance(
  known: EntitlementSnapshot | null,
  report: BalanceReport,
  mirroredAt: Millis,
): EntitlementSnapshot | null {
  if (known === null || known.uid !== report.uid || report.updatedAt <= known.updatedAt) return null;
  const monthlyCredits = known.credits?.monthlyCredits ?? 0;
  return {
    ...known,
    credits: { ...report.credits, monthlyCredits },
    updatedAt: report.updatedAt,
    mirroredAt,
  };
}

/** What was found stored, with an instant that no record can have taken for none: everything of the server's is newer. */
export function withPlausibleTime(
  stored: EntitlementSnapshot | null,
  now: Millis,
): EntitlementSnapshot | null {
  if (stored === null || stored.updatedAt <= now + CLOCK_TOLERANCE_MS) return stored;
  return { ...stored, updatedAt: 0 };
}

function sameContent(a: EntitlementSnapshot, b: EntitlementSnapshot): boolean {
  const withoutTime = ({ mirroredAt: _, contactAt: __, ...rest }: EntitlementSnapshot) =>
    JSON.stringify(rest);
  return withoutTime(a) === withoutTime(b);
}
