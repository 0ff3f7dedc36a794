import { isDocumentId } from './document-id.ts';

declare const uidBrand: unique symbol;

/** A Firebase user id that is safe as a Firestore document id. Only `parseUid` makes one. */
export type Uid = string & { readonly [uidBrand]: true };

/** Firebase's own limit. */
const LONGEST = 128;

/** The uid in a value from outside (token, provider metadata), or null where it cannot be one. */
export function parseUid(value: unknown): Uid | null {
  return isDocumentId(value, LONGEST) ? (value as Uid) : null;
}
