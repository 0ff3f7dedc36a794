import type { DocumentReference, DocumentSnapshot, Firestore } from 'firebase-admin/firestore';
import type { Waiting } from './group-commit.ts';

// Looks at single documents, several of which go to Firestore in one call.

type Look = Waiting<DocumentReference, DocumentSnapshot>;

/** Documents of one call: an answer of a few records is as quick as of one. */
const MAX_TOGETHER = 16;

const gathering = new WeakMap<Firestore, Look[]>();

/**
 * Reads a document as it is now. What several requests want to read in the same turn of the event loop goes in one call,
 * and a document that several want is read once: a call costs more of the processor than what it brings. Nobody waits
 * for company, as in `groupCommit` (docs/decisions/0307-shared-reads.md).
 *
 * @throws what the client throws; it is every caller's of that call, because none of them can cause it
 */
export function groupRead(firestore: Firestore, document: DocumentReference): Promise<DocumentSnapshot> {
  return new Promise((resolve, reject) => {
    const look: Look = { request: document, resolve, reject };
    const gathered = gathering.get(firestore);
    if (gathered !== undefined) {
      gathered.push(look);
      return;
    }
    const looks = [look];
    gathering.set(firestore, looks);
    setImmediate(() => {
      gathering.delete(firestore);
      const together = Map.groupBy(looks, ({ request }) => request.path);
      const documents = [...together.values()];
      while (documents.length > 0) void readTogether(firestore, documents.splice(0, MAX_TOGETHER));
    });
  });
}

/** @param looks by document */
async function readTogether(firestore: Firestore, looks: readonly (readonly Look[])[]): Promise<void> {
  const documents = looks.flatMap(([first]) => (first === undefined ? [] : [first.request]));
  try {
    const found = await firestore.getAll(...documents);
    for (const [index, snapshot] of found.entries()) {
      for (const { resolve } of looks[index] ?? []) resolve(snapshot);
    }
  } catch (error) {
    for (const { reject } of looks.flat()) reject(error);
  }
}
