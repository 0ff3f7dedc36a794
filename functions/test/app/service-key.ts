import { randomBytes } from 'node:crypto';
import { encodeServiceKey, type ServiceKey, writeKey } from '@extension-billing/contract/service-key';
import type { Firestore } from 'firebase-admin/firestore';
import { hashOfSecret } from '../../src/services/keys.ts';
import { paths, toTimestamp } from '../../src/store/documents.ts';

/** Stores a key of a backend, as `billing keys create` does, and answers it as the backend has it. */
export async function storeKey(firestore: Firestore, fields: Partial<ServiceKey> = {}): Promise<string> {
  const id = randomBytes(6).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  const key: ServiceKey = {
    name: 'worker',
    scopes: [],
    hash: hashOfSecret(secret),
    previous: null,
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...fields,
  };
  await paths.serviceKey(firestore, id).create(encodeServiceKey(key, toTimestamp));
  return writeKey(id, secret);
}
