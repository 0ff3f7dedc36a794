import { isPaidAt, type Millis } from '@extension-billing/contract/customer';
import type { Firestore, QueryDocumentSnapshot } from 'firebase-admin/firestore';
import { parseUid, readCustomer, type Uid } from '../../../../functions/src/store/documents.ts';
import { documentsOf, queries } from '../../../../functions/src/store/queries.ts';

const PAGE = 300;
/** Records that are read at most to say who is affected: each is paid for. */
export const MOST_RECORDS = 20_000;

export interface CountedBuyers {
  readonly buyers: ReadonlyMap<string, number>;
  /** Records that were looked at. */
  readonly looked: number;
  /** False: there are more records than were looked at. */
  readonly all: boolean;
}

/** How many have each plan now. Ids are random, so the first records say something of all where there are too many. */
export async function countBuyers(
  firestore: Firestore,
  now: Millis,
  most = MOST_RECORDS,
): Promise<CountedBuyers> {
  const buyers = new Map<string, number>();
  let looked = 0;
  for await (const { plan } of eachBuyer(firestore, now)) {
    if (looked === most) return { buyers, looked, all: false };
    looked += 1;
    if (plan !== null) buyers.set(plan, (buyers.get(plan) ?? 0) + 1);
  }
  return { buyers, looked, all: true };
}

/** Every user that has a record, with the plan that is paid for now; a page at a time. */
export async function* eachBuyer(
  firestore: Firestore,
  now: Millis,
): AsyncGenerator<{ readonly uid: Uid; readonly plan: string | null }> {
  const customers = queries.byId(firestore.collection('customers'));
  for await (const found of documentsOf(customers, PAGE)) yield* buyerIn(found, now);
}

function* buyerIn(found: QueryDocumentSnapshot, now: Millis) {
  const [uid, record] = [parseUid(found.id), readCustomer(found)];
  if (uid !== null && record !== null) yield { uid, plan: isPaidAt(record, now) ? record.plan : null };
}
