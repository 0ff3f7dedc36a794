import type { CollectionReference, DocumentReference, Firestore } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';

/** Where each record lives (design, section 4). */
export const paths = {
  customer: (firestore: Firestore, uid: Uid): DocumentReference => firestore.doc(`customers/${uid}`),
  ledger: (firestore: Firestore, uid: Uid): CollectionReference =>
    firestore.collection(`customers/${uid}/credit_ledger`),
  entry: (firestore: Firestore, uid: Uid, id: string): DocumentReference =>
    firestore.doc(`customers/${uid}/credit_ledger/${id}`),
  facts: (firestore: Firestore, uid: Uid): DocumentReference => firestore.doc(`billing_facts/${uid}`),
  marker: (firestore: Firestore, eventId: string): DocumentReference =>
    firestore.doc(`billing_events/${eventId}`),
  providerCustomer: (firestore: Firestore, customerId: string): DocumentReference =>
    firestore.doc(`provider_customers/${customerId}`),
} as const;
