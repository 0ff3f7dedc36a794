import { randomUUID } from 'node:crypto';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { cpuOf, type Load, measure, ownCpu, type Sample } from './measure.ts';
import { consume, giveCredits, pick, type Served } from './world.ts';

/** Consumes through HTTP, one user after the other; the processor's time is the function's process's. */
export function consumeOn({ url, pid, users }: Served, load: Load): () => Promise<Sample> {
  return () =>
    measure(
      load,
      (n) => consume(url, pick(users, n)),
      () => cpuOf(pid),
    );
}

/** The plain transaction in this process, on users of its own: written by both, every memory would be stale. */
export async function floorOn(
  firestore: Firestore,
  load: Load,
  users: number,
): Promise<() => Promise<Sample>> {
  await Promise.all(Array.from({ length: users }, (_, n) => giveCredits(firestore, asUid(`floor-${n}`))));
  return () => measure(load, (n) => consumePlainly(firestore, `floor-${n % users}`), ownCpu);
}

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
      feature: sold.feature,
      cost: 1,
      packs: -1,
      createdAt: Timestamp.now(),
    });
  });
}
