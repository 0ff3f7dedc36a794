import type { CustomerRecord } from '@contract/customer.ts';
import type { FirebaseApp } from 'firebase/app';
import { connectFirestoreEmulator, doc, type Firestore, getFirestore, onSnapshot } from 'firebase/firestore';
import { beaconForWorkers } from './beacon-for-workers.ts';
import type { BillingConfig } from './config.ts';
import { translateCustomer } from './customer-from-firestore.ts';

/** `record` is null when the server says that there is none. After `onError` the listener is over. */
export type ListenToCustomer = (
  uid: string,
  onRecord: (record: CustomerRecord | null) => void,
  onError: () => void,
) => () => void;

export function createListenToCustomer(app: FirebaseApp, config: BillingConfig): ListenToCustomer {
  const firestore: Firestore = getFirestore(app);
  if (config.firestoreEmulator !== undefined) {
    beaconForWorkers(navigator, (input, init) => fetch(input, init));
    connectFirestoreEmulator(firestore, config.firestoreEmulator.host, config.firestoreEmulator.port);
  }
  return (uid, onRecord, onError) =>
    onSnapshot(
      doc(firestore, 'customers', uid),
      // An offline start reports an empty document from the cache, which would look like "free". Metadata changes are
      // asked for because the server's confirmation of what the cache said comes as one.
      { includeMetadataChanges: true },
      (snapshot) => {
        if (snapshot.metadata.fromCache) return;
        const data = snapshot.data();
        onRecord(data === undefined ? null : translateCustomer(data));
      },
      onError,
    );
}
