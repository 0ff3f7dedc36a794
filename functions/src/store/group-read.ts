import type { DocumentReference, DocumentSnapshot, Firestore } from 'firebase-admin/firestore';

// Reads of single documents, several of which go to Firestore in one call.

interface Look {
  readonly document: DocumentReference;
  readonly resolve: (found: DocumentSnapshot) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads of one call: the answer is as quick as of one. */
const MAX_TOGETHER = 16;

const gathering = new WeakMap<Firestore, Look[]>();

/**
 * Reads a document as it is now. What several requests want to read in the same turn of the event loop goes in one call, in
 * which the client has a document that several want once: a call costs more of the processor than what it brings. Nobody
 * waits for company, as in `groupCommit` (docs/decisions/credits.md).
 *
 * @throws what the client throws; it is every caller's of that call, because none of them can cause it
 */
export function groupRead(firestore: Firestore, document: DocumentReference): Promise<DocumentSnapshot> {
  return new Promise((resolve, reject) => {
    const look: Look = { document, resolve, reject };
    const gathered = gathering.get(firestore);
    if (gathered !== undefined) {
      gathered.push(look);
      return;
    }
    const looks = [look];
    gathering.set(firestore, looks);
    setImmediate(() => {
      gathering.delete(firestore);
      while (looks.length > 0) void readTogether(firestore, looks.splice(0, MAX_TOGETHER));
    });
  });
}

async function readTogether(firestore: Firestore, looks: readonly Look[]): Promise<void> {
  try {
    const found = await firestore.getAll(...looks.map(({ document }) => document));
    for (const [index, { resolve, reject }] of looks.entries()) {
      const snapshot = found[index];
      if (snapshot === undefined) reject(new Error('a read answers one snapshot for each document'));
      else resolve(snapshot);
    }
  } catch (error) {
    for (const { reject } of looks) reject(error);
  }
}
