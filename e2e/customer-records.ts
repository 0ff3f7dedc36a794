import { deleteApp, initializeApp } from 'firebase-admin/app';
import { FieldValue, getFirestore, Timestamp, type WriteResult } from 'firebase-admin/firestore';
import { sold } from '../packages/cli/src/local/sold.ts';

/** Writes to the suite's Firestore as the server does, for tests that need a record and not the way to it. */
export interface CustomerRecords {
  /** Replaces the record by one on the metered plan with this balance, all of it allowance. */
  metered(uid: string, balance: number): Promise<void>;
  /** As `metered`; returns when the database wrote it, in milliseconds since the epoch. */
  meteredAt(uid: string, balance: number): Promise<number>;
  /** Replaces the record by one on the monthly plan, with credits not in use. */
  subscribed(uid: string): Promise<void>;
  balance(uid: string): Promise<number>;
  consumes(uid: string): Promise<number>;
  close(): Promise<void>;
}

/** Finds Firestore by FIRESTORE_EMULATOR_HOST and GCLOUD_PROJECT, which the suite sets. */
export function openCustomerRecords(): CustomerRecords {
  const app = initializeApp({ projectId: process.env.GCLOUD_PROJECT ?? '' }, 'e2e-customer-records');
  const firestore = getFirestore(app);
  const customer = (uid: string) => firestore.doc(`customers/${uid}`);
  const plan = {
    paid: true,
    status: 'active',
    cancelAtPeriodEnd: false,
    customerId: 'cus_e2e',
    trialUsed: true,
    updatedAt: FieldValue.serverTimestamp(),
  };
  const inAMonth = (): Timestamp => Timestamp.fromMillis(Date.now() + 30 * 86_400_000);
  const metered = (uid: string, balance: number): Promise<WriteResult> =>
    customer(uid).set({
      ...plan,
      plan: sold.metered.lookupKey,
      currentPeriodEnd: inAMonth(),
      creditsRemaining: balance,
      creditsAllowance: balance,
      packCreditsRemaining: 0,
      monthlyCredits: balance,
    });
  return {
    metered: async (uid, balance) => void (await metered(uid, balance)),
    meteredAt: async (uid, balance) => (await metered(uid, balance)).writeTime.toMillis(),
    subscribed: async (uid) =>
      void (await customer(uid).set({ ...plan, plan: sold.monthly.lookupKey, currentPeriodEnd: inAMonth() })),
    balance: async (uid) => (await customer(uid).get()).get('creditsRemaining'),
    async consumes(uid) {
      const entries = await customer(uid).collection('credit_ledger').listDocuments();
      return entries.filter(({ id }) => id.startsWith('consume_')).length;
    },
    close: () => deleteApp(app),
  };
}
