import { randomUUID } from 'node:crypto';
import { type DocumentReference, type Firestore, Timestamp } from 'firebase-admin/firestore';
import { sold } from '../../packages/cli/src/local/sold.ts';

interface Account {
  readonly record: DocumentReference;
  credits: number;
  version: Timestamp;
}

/**
 * The floor of a consume: the least that a balance with a ledger takes. One commit updates the balance, on condition
 * that its version is known, and creates the ledger entry. No HTTP, token or rules.
 */
export async function bareCommits(
  firestore: Firestore,
  accounts: number,
): Promise<(index: number) => Promise<void>> {
  const known = await Promise.all(
    Array.from({ length: accounts }, async (): Promise<Account> => {
      const record = firestore.doc(`customers/bench-${randomUUID()}`);
      const { writeTime } = await record.set(balance(1_000_000));
      return { record, credits: 1_000_000, version: writeTime };
    }),
  );
  return async (index) => {
    const account = known[index % known.length];
    if (account === undefined) throw new Error('there are no accounts');
    const { record, version } = account;
    account.credits -= 1;
    const batch = firestore.batch();
    batch.update(record, balance(account.credits), { lastUpdateTime: version });
    batch.create(record.collection('credit_ledger').doc(`consume-${randomUUID()}`), {
      kind: 'consume',
      feature: sold.feature,
      cost: 1,
      packs: -1,
      createdAt: Timestamp.now(),
    });
    const [written] = await batch.commit();
    if (written !== undefined) account.version = written.writeTime;
  };
}

const balance = (credits: number) => ({
  creditsRemaining: credits,
  packCreditsRemaining: credits,
  updatedAt: Timestamp.now(),
});
