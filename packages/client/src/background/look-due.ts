import type { Millis } from '@extension-billing/contract/customer';
import { accessView, snapshotAt } from '../snapshot/access.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';

/** How old the server's word may grow for a user who opens nothing. */
const LOOK_AFTER_MS: Millis = 86_400_000;

/**
 * Whether a worker that nobody looks at asks for the record of the user who is signed in: it has no snapshot of theirs,
 * a day has passed, or the clock has changed what the snapshot is worth since the server was heard. So once a day, and
 * once more on the day on which a period ends (docs/decisions/client-worker.md).
 */
export function isLookDue(known: EntitlementSnapshot | null, uid: string, now: Millis): boolean {
  if (known === null || known.uid !== uid) return true;
  const { contactAt } = known;
  // A contact in the future was stamped by a clock that has been set back since.
  if (contactAt > now || now - contactAt >= LOOK_AFTER_MS) return true;
  return worthAt(known, now) !== worthAt(known, contactAt);
}

/** How sure access is, and how much of it there is: to compare a snapshot with itself. */
function worthAt(snapshot: EntitlementSnapshot, at: Millis): string {
  return `${accessView(snapshot, at).staleness} ${snapshotAt(snapshot, at).entitlements.length}`;
}
