import { type CustomerRecord, readRecord } from '@extension-billing/contract/record';
import type { FirebaseApp } from 'firebase/app';
import { connectFirestoreEmulator, doc, type Firestore, getFirestore, onSnapshot } from 'firebase/firestore';
import { beaconForWorkers } from '../patches/beacon-for-workers.ts';
import type { BillingConfig } from './config.ts';

export interface CustomerListener {
  /** What the server says; null: that there is none. */
  readonly onRecord: (record: CustomerRecord | null) => void;
  /** The server cannot be heard: what it said last may be old. The next record ends that. */
  readonly onSilence: () => void;
  /** The listener is over. */
  readonly onError: () => void;
}
/** @returns the function that ends it */
export type ListenToCustomer = (uid: string, listener: CustomerListener) => () => void;

export function createListenToCustomer(app: FirebaseApp, config: BillingConfig): ListenToCustomer {
  const firestore: Firestore = getFirestore(app);
  if (config.firestoreEmulator !== undefined) {
    beaconForWorkers(navigator, (input, init) => fetch(input, init));
    connectFirestoreEmulator(firestore, config.firestoreEmulator.host, config.firestoreEmulator.port);
  }
  return (uid, { onRecord, onSilence, onError }) =>
    onSnapshot(
      doc(firestore, 'customers', uid),
      // An offline start reports an empty document from the cache, which would look like "free". Metadata changes are
      // asked for because the server's confirmation of what the cache said comes as one.
      { includeMetadataChanges: true },
      (snapshot) => {
        if (snapshot.metadata.fromCache) return onSilence();
        onRecord(readRecord(snapshot.data()));
      },
      onError,
    );
}
