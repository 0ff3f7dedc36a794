declare const uidBrand: unique symbol;

/** A Firebase user id that is safe as a Firestore document id. Only `parseUid` makes one. */
export type Uid = string & { readonly [uidBrand]: true };

/**
 * The uid in a value from outside (token, provider metadata), or null where it cannot be one:
 * 1–128 characters, and legal as a Firestore document id (no `/`, not `.` or `..`, not `__…__`).
 */
export function parseUid(value: unknown): Uid | null {
  if (typeof value !== 'string' || value.length === 0 || value.length > 128) return null;
  if (value.includes('/') || value === '.' || value === '..' || /^__.*__$/s.test(value)) return null;
  return value as Uid;
}
