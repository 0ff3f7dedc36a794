import { setTimeout as sleep } from 'node:timers/promises';
import type { Firestore } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';
import { readBuyer } from './checkout-buyer.ts';
import { isConflict } from './conflict.ts';
import { paths } from './paths.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

/**
 * Keeps a new provider customer as the user's one, together with the way back from customer to user that the
 * webhook needs. Answers the customer that counts: where another request was first, its customer, not the
 * given one. `lost` is a customer that the provider no longer has, which the new one replaces.
 */
export async function keepCustomer(
  firestore: Firestore,
  uid: Uid,
  customerId: string,
  lost: string | null,
): Promise<string> {
  for (;;) {
    const buyer = await readBuyer(firestore, uid);
    if (buyer.customerId !== null && buyer.customerId !== lost) return buyer.customerId;
    const batch = firestore.batch();
    batch.set(paths.providerCustomer(firestore, customerId), { uid }, { merge: true });
    const facts = paths.facts(firestore, uid);
    if (buyer.version === null)
      batch.create(facts, { schemaVersion: SCHEMA_VERSION, checkout: { customerId } });
    else batch.update(facts, { 'checkout.customerId': customerId }, { lastUpdateTime: buyer.version });
    try {
      await batch.commit();
      return customerId;
    } catch (error) {
      if (!isConflict(error)) throw error;
      await sleep(10 + Math.random() * 40);
    }
  }
}
