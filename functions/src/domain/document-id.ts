/**
 * Whether a text from outside can name a document: 1 to `longest` characters, and legal as a Firestore document id
 * (no `/`, not `.` or `..`, not `__…__`, no half of a surrogate pair).
 */
export function isDocumentId(value: unknown, longest: number): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > longest) return false;
  if (value.includes('/') || value === '.' || value === '..') return false;
  return !/^__.*__$/s.test(value) && value.isWellFormed();
}
