import { type DocumentData, Timestamp } from 'firebase-admin/firestore';

/** Firestore takes no larger document (https://firebase.google.com/docs/firestore/quotas). */
export const LARGEST_DOCUMENT = 1_048_576;

/**
 * Bytes that a document takes of that limit, by Firestore's own reckoning
 * (https://firebase.google.com/docs/firestore/storage-size).
 */
export function bytesOfDocument(path: string, data: DocumentData): number {
  return 16 + path.split('/').reduce((sum, part) => sum + bytesOf(part), 0) + bytesOfMap(data);
}

function bytesOfMap(map: DocumentData): number {
  return Object.entries(map).reduce((sum, [field, value]) => sum + bytesOf(field) + bytesOf(value), 32);
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (value === null || value === undefined || typeof value === 'boolean') return 1;
  if (typeof value === 'number' || value instanceof Timestamp) return 8;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + bytesOf(item), 0);
  return bytesOfMap(value as DocumentData);
}
