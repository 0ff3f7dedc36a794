import type { DocumentSnapshot } from 'firebase-admin/firestore';

/**
 * The form of `customers/{uid}` and `billing_facts/{uid}` that this build writes, in their field `schemaVersion`; a
 * document without it has form 1. It is raised only where a build of the form before would damage what this one
 * writes: a new field that may be absent is no new form (docs/decisions/0120-schema-version.md).
 */
export const SCHEMA_VERSION = 1;

/** A document has a form that this build does not know: a newer one wrote it. Nothing is written. */
export class NewerSchema extends Error {
  readonly stored: number;

  constructor(stored: number) {
    super(`a document has form ${stored}, and this build writes ${SCHEMA_VERSION}`);
    this.name = 'NewerSchema';
    this.stored = stored;
  }
}

/**
 * To be asked before anything is written on top of these documents.
 *
 * @throws NewerSchema where a newer build wrote one of them
 */
export function requireKnownSchema(...snapshots: readonly (DocumentSnapshot | undefined)[]): void {
  for (const snapshot of snapshots) {
    const stored: unknown = snapshot?.get('schemaVersion');
    if (typeof stored === 'number' && stored > SCHEMA_VERSION) throw new NewerSchema(stored);
  }
}
