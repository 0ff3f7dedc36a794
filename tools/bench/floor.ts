import { randomUUID } from 'node:crypto';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';

/**
 * What one would write without thinking further, and the yardstick of every row: the SDK's plain transaction in
 * this process, with no HTTP, no token and no rules around it. It reads record and ledger entry together, and
 * writes both.
 */
export async function consumePlainly(firestore: Firestore, uid: string): Promise<void> {
  const customer = firestore.doc(`customers/${uid}`);
  const entry = customer.collection('credit_ledger').doc(`consume-${randomUUID()}`);
  await firestore.runTransaction(async (transaction) => {
    const [record, known] = await transaction.getAll(customer, entry);
    if (known?.exists === true) return;
    const packs = Number(record?.get('packCreditsRemaining')) - 1;
    if (!(packs >= 0)) throw new Error('exhausted');
    transaction.update(customer, {
      creditsRemaining: packs,
      packCreditsRemaining: packs,
      updatedAt: Timestamp.now(),
    });
    transaction.create(entry, {
      kind: 'consume',
      feature: 'demo',
      cost: 1,
      packs: -1,
      createdAt: Timestamp.now(),
    });
  });
}
