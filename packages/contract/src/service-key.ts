import * as v from 'valibot';
import { SCOPES } from './callers.ts';
import type { Millis } from './customer.ts';
import { encoderOf, Instant, type Output, read } from './schema.ts';

/**
 * `service_keys/{id}`: the keys by which backends prove themselves (design, section 10). No client reads it, and no
 * secret is in it. What cannot be read opens nothing: no field of these may count as absent.
 */

/** SHA-256 of a secret, in hex. The secret is 256 random bits, so nothing slower is needed to keep it from being found. */
const Hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const InstantOrNull = v.nullable(Instant);

const ServiceKey = v.object({
  /** For a person: whose key it is. */
  name: v.string(),
  scopes: v.array(v.picklist(SCOPES)),
  hash: Hash,
  /** The secret before this one, which opens until then. */
  previous: v.nullable(v.object({ hash: Hash, until: Instant })),
  createdAt: Instant,
  /** Null: never. */
  expiresAt: InstantOrNull,
  revokedAt: InstantOrNull,
  /** Up to a minute older than the last request. */
  lastUsedAt: InstantOrNull,
});
export type ServiceKey = Output<typeof ServiceKey>;

/** A stored key; null where there is none that this build could check. */
export function readServiceKey(data: Readonly<Record<string, unknown>> | undefined): ServiceKey | null {
  return data === undefined ? null : read(ServiceKey, data);
}

/** Fields of a key as Firestore holds them. */
export const encodeServiceKey = encoderOf(ServiceKey);

/** Whether a key opens at `now`, with the right secret; else why not. */
export function keyState(
  { expiresAt, revokedAt }: ServiceKey,
  now: Millis,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** The hashes that open a key at `now`. */
export function openHashes({ hash, previous }: ServiceKey, now: Millis): readonly string[] {
  return previous !== null && now < previous.until ? [hash, previous.hash] : [hash];
}

/** How a key is written: its id is no secret; ledgers have a hash of it. */
export function writeKey(id: string, secret: string): string {
  return `ebk_${id}_${secret}`;
}

const WRITTEN = /^ebk_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;

/** The parts of a written key; null where it is none. */
export function parseKey(token: string): { readonly id: string; readonly secret: string } | null {
  const [, id, secret] = WRITTEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}
