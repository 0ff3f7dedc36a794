import { FieldPath, type Firestore, type Query } from 'firebase-admin/firestore';
import { paths, type Uid } from '../../../../functions/src/store/documents.ts';

/**
 * Queries of the commands, beside the backend's (functions/src/store/queries.ts). Lint refuses queries in other files;
 * tools/queries.test.ts compares each one here with firestore.indexes.json.
 */
export const queries = {
  /** Grants by hand and by imports of an actor. Index: `billing_audit.actor`. */
  auditsBy: (firestore: Firestore, actor: string): Query =>
    firestore.collection('billing_audit').where('actor', '==', actor),

  /** Event markers of a user, by id. Index: `billing_events.uids`, an array. */
  eventsOf: (firestore: Firestore, uid: Uid): Query =>
    firestore
      .collection('billing_events')
      .where('uids', 'array-contains', uid)
      .orderBy(FieldPath.documentId()),

  /** Identities whose free credits a user has. Index: `free_identities.uid`. */
  freeIdentitiesOf: (firestore: Firestore, uid: Uid): Query =>
    firestore.collection('free_identities').where('uid', '==', uid),

  /** A whole ledger. Index: `credit_ledger.createdAt` in the same direction. */
  ledgerOf: (firestore: Firestore, uid: Uid, direction: 'asc' | 'desc'): Query =>
    paths.ledger(firestore, uid).orderBy('createdAt', direction).orderBy(FieldPath.documentId(), direction),

  /** What a user of firestore-stripe-payments paid. Index: Firestore's own, `payments.status`. */
  succeededPayments: (firestore: Firestore, customer: string): Query =>
    firestore.collection(`${customer}/payments`).where('status', '==', 'succeeded'),
};
