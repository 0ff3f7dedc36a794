import type { DocumentReference, DocumentSnapshot, Firestore } from 'firebase-admin/firestore';

// Looks at single documents, several of which go to Firestore in one call.

interface Look {
  readonly documents: readonly DocumentReference[];
  readonly resolve: (found: DocumentSnapshot[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers of one call, with one to three records each: the answer is as quick as of one. */
const MAX_TOGETHER = 16;

const gathering = new WeakMap<Firestore, Look[]>();

/** One document, as `groupReadAll` reads it. */
export async function groupRead(
  firestore: Firestore,
  document: DocumentReference,
): Promise<DocumentSnapshot> {
  const [found] = await groupReadAll(firestore, [document]);
  if (found === undefined) throw new Error('a read answers one snapshot for each document');
  return found;
}

/**
 * Reads documents as they are now, those of a caller at one moment. What several requests want to read in the same turn of
 * the event loop goes in one call, where the client has a document that several want once: a call costs more of the
 * processor than what it brings. Nobody waits for company, as in `groupCommit` (docs/decisions/credits.md).
 *
 * @returns a snapshot for each document, in their order
 * @throws what the client throws; it is every caller's of that call, because none of them can cause it
 */
export function groupReadAll(
  firestore: Firestore,
  documents: readonly DocumentReference[],
): Promise<DocumentSnapshot[]> {
  return new Promise((resolve, reject) => {
    const look: Look = { documents, resolve, reject };
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
    const found = await firestore.getAll(...looks.flatMap(({ documents }) => documents));
    for (const { documents, resolve } of looks) resolve(found.splice(0, documents.length));
  } catch (error) {
    for (const { reject } of looks) reject(error);
  }
}
