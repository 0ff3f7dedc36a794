import type { Firestore } from 'firebase-admin/firestore';
import { paths } from './paths.ts';

/** The user that a provider customer belongs to, for objects that do not name one; null when nobody is known. */
export async function findUserOfCustomer(firestore: Firestore, customerId: string): Promise<string | null> {
  const uid: unknown = (await paths.providerCustomer(firestore, customerId).get()).get('uid');
  return typeof uid === 'string' ? uid : null;
}
