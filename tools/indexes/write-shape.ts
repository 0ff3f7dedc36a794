import { fieldsOf, messageAt, messagesAt, textAt } from './wire.ts';

/** What a commit asks of Firestore's limits and indexes; no value that it writes. */
export interface CommitShape {
  readonly bytes: number;
  readonly writes: readonly WriteShape[];
}
export interface WriteShape {
  /** Where it lies, without the ids of documents: `customers`, or `customers/credit_ledger` below one. */
  readonly collection: string;
  readonly bytes: number;
  /** The top level of what is written; a part of the document where it is updated. */
  readonly fields: readonly { readonly field: string; readonly type: ValueType }[];
}
export type ValueType = 'timestamp' | 'number' | 'other';

// Field numbers of google.firestore.v1.
const COMMIT = { writes: 2 };
const WRITE = { update: 1, delete: 2, transforms: 7 };
const DOCUMENT = { name: 1, fields: 2 };
const ENTRY = { key: 1, value: 2 };
const TRANSFORM = { field: 1, serverValue: 2 };
const TYPES: Readonly<Record<number, ValueType>> = { 2: 'number', 3: 'number', 10: 'timestamp' };

/** The shape of a Commit (or a BatchWrite, whose writes are at the same place). */
export function readCommit(request: Uint8Array): CommitShape {
  const writes = messagesAt(request, COMMIT.writes).map((write): WriteShape => {
    const document = messageAt(write, WRITE.update);
    const name = document === undefined ? textAt(write, WRITE.delete) : textAt(document, DOCUMENT.name);
    const entries = document === undefined ? [] : messagesAt(document, DOCUMENT.fields);
    const fields = entries.map((entry) => ({ field: textAt(entry, ENTRY.key), type: typeIn(entry) }));
    const now = messagesAt(write, WRITE.transforms)
      .filter((transform) => [...fieldsOf(transform)].some(([field]) => field === TRANSFORM.serverValue))
      .map((transform) => ({ field: textAt(transform, TRANSFORM.field), type: 'timestamp' as const }));
    return { collection: collectionOf(name), bytes: document?.length ?? 0, fields: [...fields, ...now] };
  });
  return { bytes: request.length, writes };
}

function typeIn(entry: Uint8Array): ValueType {
  const value = messageAt(entry, ENTRY.value) ?? new Uint8Array();
  for (const [type] of fieldsOf(value)) return TYPES[type] ?? 'other';
  return 'other';
}

/** Of `projects/p/databases/d/documents/customers/ada/credit_ledger/x` it is `customers/credit_ledger`. */
function collectionOf(name: string): string {
  const parts = name.split('/documents/').slice(1).join('/documents/').split('/');
  return parts.filter((_, at) => at % 2 === 0).join('/');
}

/** The same text for commits that ask the same of the indexes; their sizes left out. */
export function signatureOf({ writes }: CommitShape): string {
  const lines = writes.map(
    ({ collection, fields }) =>
      `${collection}:${fields
        .map(({ field, type }) => `${field}=${type}`)
        .sort()
        .join()}`,
  );
  return [...new Set(lines)].sort().join(';');
}
