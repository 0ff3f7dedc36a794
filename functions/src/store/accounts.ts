import type { DocumentData, DocumentSnapshot } from 'firebase-admin/firestore';
import { type Books, EMPTY_BOOKS } from '../domain/books.ts';
import { type Facts, NO_FACTS } from '../domain/facts.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

/** `billing_facts/{uid}` without the field `checkout`, which is not this file's to write. */
export interface StoredFacts {
  readonly facts: Facts;
  readonly books: Books;
}

/** The fields that an event writes; everything else in the document stays as it is. */
export const FACT_FIELDS = ['facts', 'books', 'schemaVersion'] as const;

/** Null: this user has no facts yet, whether or not the document is there for a checkout. */
export function readFacts(snapshot: DocumentSnapshot | undefined): StoredFacts | null {
  const stored = snapshot?.data() as Partial<StoredFacts> | undefined;
  if (stored?.facts === undefined) return null;
  return { facts: { ...NO_FACTS, ...stored.facts }, books: { ...EMPTY_BOOKS, ...stored.books } };
}

export function toFactsDocument({ facts, books }: StoredFacts): DocumentData {
  return { facts, books, schemaVersion: SCHEMA_VERSION };
}
