import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { Uid } from '../../functions/src/store/documents.ts';
import { signUp } from '../../functions/test/app/emulated-user.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';

export interface BenchUser {
  readonly uid: Uid;
  readonly idToken: string;
}

const PLENTY = 1_000_000;

/** Signs users up at the auth emulator and gives each more credits than any run spends. */
export async function signUpUsers(firestore: Firestore, count: number): Promise<readonly BenchUser[]> {
  const users: BenchUser[] = [];
  while (users.length < count) {
    const some = Array.from({ length: Math.min(8, count - users.length) }, signUp);
    for (const { uid, idToken } of await Promise.all(some)) users.push({ uid: asUid(uid), idToken });
  }
  await Promise.all(users.map(({ uid }) => giveCredits(firestore, uid)));
  return users;
}

export async function giveCredits(firestore: Firestore, uid: Uid, credits = PLENTY): Promise<void> {
  await firestore.doc(`customers/${uid}`).set(customer(credits));
}

/** Adds customers, each with a ledger entry, that nothing in the run asks for. */
export async function addBystanders(firestore: Firestore, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += EACH_BATCH * BATCHES) {
    const starts = Array.from({ length: BATCHES }, (_, n) => first + n * EACH_BATCH);
    await Promise.all(starts.map((start) => addSome(firestore, start, Math.min(start + EACH_BATCH, to))));
  }
}

/** A commit takes 500 writes, two for each customer. */
const EACH_BATCH = 250;
const BATCHES = 4;

async function addSome(firestore: Firestore, from: number, to: number): Promise<void> {
  const batch = firestore.batch();
  for (let n = from; n < to; n += 1) {
    const path = `customers/bystander-${n}`;
    batch.set(firestore.doc(path), customer(100));
    batch.set(firestore.doc(`${path}/credit_ledger/grant`), { packs: 100, createdAt: Timestamp.now() });
  }
  if (from < to) await batch.commit();
}

const customer = (credits: number) => ({
  creditsRemaining: credits,
  creditsAllowance: 0,
  packCreditsRemaining: credits,
  updatedAt: Timestamp.fromMillis(Date.now()),
});
