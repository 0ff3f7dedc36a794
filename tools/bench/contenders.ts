import { randomUUID } from 'node:crypto';
import { type DocumentReference, type Firestore, Timestamp } from 'firebase-admin/firestore';
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
 * The least that a consume can be: one commit of record and ledger entry by somebody who knows the balance and the version
 * already, with no HTTP, no token, no key to look for and no rules. Nothing that keeps a balance and a ledger takes less
 * than this of Firestore, but by sharing commits.
 */
export async function bareCommitsOn(
  firestore: Firestore,
  load: Load,
  users: number,
): Promise<() => Promise<Sample>> {
  const accounts = await Promise.all(
    Array.from({ length: users }, async (_, n) => {
      const uid = asUid(`bare-${n}`);
      await giveCredits(firestore, uid);
      const record = await firestore.doc(`customers/${uid}`).get();
      const packs = Number(record.get('packCreditsRemaining'));
      return { customer: record.ref, packs, version: record.updateTime ?? Timestamp.now() };
    }),
  );
  return () => measure(load, (n) => commitBarely(firestore, pick(accounts, n)), ownCpu);
}

async function commitBarely(
  firestore: Firestore,
  account: { readonly customer: DocumentReference; packs: number; version: Timestamp },
): Promise<void> {
  const { customer, version } = account;
  const packs = account.packs - 1;
  const batch = firestore.batch();
  batch.update(customer, spent(packs), { lastUpdateTime: version });
  batch.create(newEntry(customer), theEntry());
  const [written] = await batch.commit();
  if (written === undefined) throw new Error('the commit says nothing');
  account.packs = packs;
  account.version = written.writeTime;
}

/**
 * What one would write without thinking further, and the usual yardstick: the SDK's plain transaction in
 * this process, with no HTTP, no token and no rules around it. It reads record and ledger entry together, and
 * writes both.
 */
export async function consumePlainly(firestore: Firestore, uid: string): Promise<void> {
  const customer = firestore.doc(`customers/${uid}`);
  const entry = newEntry(customer);
  await firestore.runTransaction(async (transaction) => {
    const [record, known] = await transaction.getAll(customer, entry);
    if (known?.exists === true) return;
    const packs = Number(record?.get('packCreditsRemaining')) - 1;
    if (!(packs >= 0)) throw new Error('exhausted');
    transaction.update(customer, spent(packs));
    transaction.create(entry, theEntry());
  });
}

const newEntry = (customer: DocumentReference): DocumentReference =>
  customer.collection('credit_ledger').doc(`consume-${randomUUID()}`);

const spent = (packs: number) => ({
  creditsRemaining: packs,
  packCreditsRemaining: packs,
  updatedAt: Timestamp.now(),
});

const theEntry = () => ({
  kind: 'consume',
  feature: sold.feature,
  cost: 1,
  packs: -1,
  createdAt: Timestamp.now(),
});
