import { fileURLToPath } from 'node:url';
import { ROLLED_ID } from '@extension-billing/contract/ledger-pages';
import { readIndexFile, singleFieldIndexes } from '../indexes/index-rules.ts';

// Bytes of what is stored, by Firestore's own reckoning: https://firebase.google.com/docs/firestore/storage-size

/** A field as it is stored: its name and the bytes of its value. */
type Field = readonly [name: string, bytes: number];

const text = (value: string): number => value.length + 1;
const NUMBER = 8;
const TIMESTAMP = 8;

/** A consume's ledger entry, as `toEntryDocument` writes it (functions/src/store/documents.ts). */
export const CONSUME_FIELDS: readonly Field[] = [
  ['kind', text('consume')],
  ['feature', text('demo_deep')],
  ['cost', NUMBER],
  ['outcome', text('granted')],
  ['deltaAllowance', NUMBER],
  ['deltaPack', NUMBER],
  ['allowance', NUMBER],
  ['packCredits', NUMBER],
  ['createdAt', TIMESTAMP],
  ['correlationId', text('a'.repeat(36))],
];

const PARENT = ['customers', 'a'.repeat(28)];
const NAME = [...PARENT, 'credit_ledger', `consume_${'a'.repeat(36)}`];

export interface EntrySize {
  readonly document: number;
  readonly indexes: number;
}

/**
 * Bytes that one such entry takes, by Firestore's own reckoning (https://firebase.google.com/docs/firestore/storage-size):
 * the document, for each indexed field one ascending and one descending entry of its collection, and for each composite
 * index one entry, which holds the values without their names.
 */
export function sizeOfEntry(
  indexed: (field: string) => boolean,
  composites: readonly (readonly string[])[] = [],
): EntrySize {
  const name = nameSize(NAME);
  const fields = CONSUME_FIELDS.map(([field, bytes]) => [field, text(field) + bytes] as const);
  const document = name + fields.reduce((sum, [, bytes]) => sum + bytes, 0) + 32;
  const around = name + nameSize(PARENT) + 32;
  const single = fields
    .filter(([field]) => indexed(field))
    .reduce((sum, [, bytes]) => sum + 2 * (around + bytes), 0);
  const composite = composites.reduce(
    (sum, names) =>
      sum +
      CONSUME_FIELDS.filter(([field]) => names.includes(field)).reduce(
        (all, [, bytes]) => all + bytes,
        around,
      ),
    0,
  );
  return { document, indexes: single + composite };
}

function nameSize(path: readonly string[]): number {
  return path.reduce((sum, part) => sum + text(part), 16);
}

const LEDGER = 'credit_ledger';

/** Bytes of the one index entry that a user's entry `rolled` has: the sum's, of both deltas. */
export function indexOfRolled(uid: string): number {
  const parent = ['customers', uid];
  return nameSize([...parent, LEDGER, ROLLED_ID]) + nameSize(parent) + 32 + 2 * NUMBER;
}

/** An entry as it is deployed: with the indexes of firestore.indexes.json. */
export function deployedEntry(): EntrySize {
  const file = readIndexFile(fileURLToPath(new URL('../../firestore.indexes.json', import.meta.url)));
  const isIndexed = (field: string): boolean => singleFieldIndexes(file, LEDGER, field).length > 0;
  const composites = file.indexes
    .filter(({ collectionGroup }) => collectionGroup === LEDGER)
    .map(({ fields }) => fields.map(({ fieldPath }) => fieldPath));
  return sizeOfEntry(isIndexed, composites);
}
