import { readFileSync } from 'node:fs';
import type { Direction } from './query-shape.ts';

type Scope = 'COLLECTION' | 'COLLECTION_GROUP';
type Mode = { readonly order: Direction } | { readonly arrayConfig: 'CONTAINS' };

/** `firestore.indexes.json`, as far as it is used here (https://firebase.google.com/docs/reference/firestore/indexes). */
export interface IndexFile {
  readonly indexes: readonly CompositeIndex[];
  readonly fieldOverrides: readonly FieldOverride[];
}
export interface CompositeIndex {
  readonly collectionGroup: string;
  readonly queryScope: Scope;
  readonly fields: readonly ({ readonly fieldPath: string } & Mode)[];
}
export interface FieldOverride {
  readonly collectionGroup: string;
  /** `*` is every field of the collection that has no override of its own. */
  readonly fieldPath: string;
  readonly ttl?: boolean;
  readonly indexes: readonly ({ readonly queryScope?: Scope } & Mode)[];
}

export function readIndexFile(path: string): IndexFile {
  return JSON.parse(readFileSync(path, 'utf8')) as IndexFile;
}

/** What Firestore keeps of a field by itself: one collection's, in both directions, and members of arrays. */
const AUTOMATIC: FieldOverride['indexes'] = [
  { order: 'ASCENDING' },
  { order: 'DESCENDING' },
  { arrayConfig: 'CONTAINS' },
];

/**
 * The single-field indexes of a field: those of its own override, else of the nearest map that it lies in, else of the
 * collection's `*`, else what Firestore keeps by itself.
 */
export function singleFieldIndexes(
  { fieldOverrides }: IndexFile,
  collection: string,
  field: string,
): FieldOverride['indexes'] {
  const parts = field.split('.');
  const paths = [...parts.map((_, index) => parts.slice(0, parts.length - index).join('.')), '*'];
  for (const path of paths) {
    const override = fieldOverrides.find(
      ({ collectionGroup, fieldPath }) => collectionGroup === collection && fieldPath === path,
    );
    if (override !== undefined) return override.indexes;
  }
  return AUTOMATIC;
}
