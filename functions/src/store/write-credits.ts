import type { Millis } from '@extension-billing/contract/customer';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { GroupDecision } from '../domain/credit-group.ts';
import type { Credits } from '../domain/credits.ts';
import type { Uid } from '../domain/uid.ts';
import { toHoldsField } from './customers.ts';
import { toEntryDocument } from './ledger-entries.ts';
import { paths } from './paths.ts';
import type { SeenCredits } from './seen-credits.ts';
import { type AddWrite, shareCommit } from './share-commits.ts';

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
  const updatedAt = first.createdAt;
  const isChanged = !isSame(seen.credits, credits);
  const writes = entries.map((entry): AddWrite => {
    const document = toEntryDocument(entry);
    return (batch) => batch.create(paths.entry(firestore, uid, entry.id), document);
  });
  if (isChanged) {
    const fields = toFields(seen.credits, credits, updatedAt);
    writes.unshift((batch) =>
      batch.update(paths.customer(firestore, uid), fields, { lastUpdateTime: seen.version }),
    );
  }
  const version = await shareCommit(firestore, writes);
  return isChanged && version !== undefined ? { credits, updatedAt, version } : null;
}

function toFields(before: Credits, { balances, holds }: Credits, updatedAt: Millis) {
  const { allowance, packs } = balances;
  return {
    creditsRemaining: allowance + packs,
    creditsAllowance: allowance,
    packCreditsRemaining: packs,
    updatedAt: Timestamp.fromMillis(updatedAt),
    ...((before.holds.length > 0 || holds.length > 0) && { creditHolds: toHoldsField(holds) }),
  };
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
