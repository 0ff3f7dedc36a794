type Deliver = (snapshot: object) => void;

/** Firestore as a worker listens to it. */
export const firestore = {
  /** Of each document that is listened to, by its id. */
  listeners: new Map<string, Deliver>(),
  /** Documents that it answers at once; of all others it says nothing until somebody delivers them. */
  documents: new Map<string, object>(),
  /** What Firestore bills: a document for each listener that begins, and for each change that one hears. */
  reads: [] as string[],
  change(id: string, data: object): void {
    firestore.documents.set(id, data);
    if (firestore.listeners.has(id)) answer(id);
  },
  clear(): void {
    for (const each of [firestore.listeners, firestore.documents]) each.clear();
    firestore.reads.length = 0;
  },
};

function answer(id: string): void {
  firestore.reads.push(id);
  firestore.listeners.get(id)?.({ metadata: { fromCache: false }, data: () => firestore.documents.get(id) });
}

/** For `vi.mock('firebase/firestore', …)`. */
export const sdk = {
  getFirestore: () => ({}),
  connectFirestoreEmulator: () => {},
  doc: (_firestore: object, _collection: string, id: string) => id,
  onSnapshot(id: string, _options: object, deliver: Deliver) {
    firestore.listeners.set(id, deliver);
    if (firestore.documents.has(id))
      queueMicrotask(() => firestore.listeners.get(id) === deliver && answer(id));
    return () => firestore.listeners.delete(id);
  },
};
