import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { GroupDecision } from '../domain/credit-group.ts';
import type { Credits } from '../domain/credits.ts';
import type { Uid } from '../domain/uid.ts';
import { toHoldsField } from './customers.ts';
import { toEntryDocument } from './ledger-entries.ts';
import { paths } from './paths.ts';
import type { SeenCredits } from './seen-credits.ts';

/**
 * Writes what a group decided in one commit: each ledger entry, which must not exist yet, and the record where it
 * changed, which must still be the version that the group saw. Holds that have expired go with it.
 *
 * @returns the record as it is now; null where it was not written
 */
export async function writeCredits(
  firestore: Firestore,
  uid: Uid,
  seen: SeenCredits | null,
  { entries, credits }: GroupDecision,
): Promise<SeenCredits | null> {
  const [first] = entries;
  if (first === undefined || seen === null || credits === null) return null;
  const batch = firestore.batch();
  const isChanged = !isSame(seen.credits, credits);
  if (isChanged) {
    const { allowance, packs } = credits.balances;
    const fields = {
      creditsRemaining: allowance + packs,
      creditsAllowance: allowance,
      packCreditsRemaining: packs,
      updatedAt: Timestamp.fromMillis(first.createdAt),
      ...((seen.credits.holds.length > 0 || credits.holds.length > 0) && {
        creditHolds: toHoldsField(credits.holds),
      }),
    };
    batch.update(paths.customer(firestore, uid), fields, { lastUpdateTime: seen.version });
  }
  for (const entry of entries) batch.create(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
  const [written] = await batch.commit();
  if (!isChanged || written === undefined) return null;
  return { credits, updatedAt: first.createdAt, version: written.writeTime };
}

function isSame(before: Credits, after: Credits): boolean {
  const { balances, holds } = before;
  return (
    balances.allowance === after.balances.allowance &&
    balances.packs === after.balances.packs &&
    holds.length === after.holds.length &&
    holds.every(({ reservation }, index) => reservation === after.holds[index]?.reservation)
  );
}
