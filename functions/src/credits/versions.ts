import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Millis, Rights } from '@extension-billing/contract/customer';
import { Timestamp } from 'firebase-admin/firestore';
import { NEWEST_FORM, type Uid } from '../store/documents.ts';
import type { Credits } from './commands.ts';

// What is known of a record without a look at it: what this instance remembers, and what the client carries sealed. It is
// never trusted by itself: a write on top of it names the version (docs/decisions/credits.md).

/** What is stored of an account's credits. */
export interface StoredCredits {
  /** Null for an account without credits. */
  readonly credits: Credits | null;
  /** Null where there is no record. */
  readonly rights: Rights | null;
  readonly updatedAt: Millis;
  /** The version that a write on top of it names; null where there is no record. */
  readonly version: Timestamp | null;
}

/** A record's credits, with its version. */
export interface VersionedCredits extends StoredCredits {
  readonly credits: Credits;
  readonly version: Timestamp;
}

/** The newest of what is known, by the store's own time; null where nothing is. */
export function newestOf(known: readonly (VersionedCredits | null)[]): VersionedCredits | null {
  return known.reduce((newest, next) => {
    if (newest === null || next === null) return newest ?? next;
    return next.version.valueOf() > newest.version.valueOf() ? next : newest;
  }, null);
}

const MAX_USERS = 10_000;
/** To find the oldest, a map passes over all that went since it was last packed: 38 µs in a full memory. */
const FORGOTTEN_AT_ONCE = 100;
/** What turns out stale costs three calls instead of one, so it is only used while it is young. */
const FRESH_FOR: Millis = 60_000;

/** What this instance found or wrote lately of its users, so that the next request needs no read. */
export class VersionCache<Value> {
  readonly #entries = new Map<Uid, { readonly value: Value; readonly at: Millis }>();

  get(uid: Uid, now: Millis): Value | null {
    const known = this.#entries.get(uid);
    return known !== undefined && now - known.at < FRESH_FOR ? known.value : null;
  }

  set(uid: Uid, value: Value, now: Millis): void {
    this.#entries.delete(uid);
    this.#entries.set(uid, { value, at: now });
    if (this.#entries.size <= MAX_USERS + FORGOTTEN_AT_ONCE) return;
    // With an iterator of its own each time: one that is kept holds all that the map ever let go.
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_USERS) return;
      this.#entries.delete(oldest);
    }
  }

  delete(uid: Uid): void {
    this.#entries.delete(uid);
  }
}

/** A client is one, and instances are many: what it carries is the last that anybody knows, unless an event came between. */
const CARRIED_FOR: Millis = 10 * 60_000;
/** A header of more is refused by some servers on the way; such a record has dozens of pools and holds. */
const MAX_CARRIED = 4_000;
/** Of what is sealed. What another build sealed in another form is not read. */
const SEAL_FORM = 1;
const IV_BYTES = 12;
/** Each draw of random bytes is a call into the system's own; so many seals share one. */
const IVS_AT_ONCE = 256;
const TAG_BYTES = 16;

interface Sealed {
  readonly form: readonly [seal: number, record: number];
  readonly at: Millis;
  readonly version: readonly [seconds: number, nanoseconds: number];
  readonly updatedAt: Millis;
  readonly credits: Credits;
  readonly rights: Rights | null;
}

/** Seals what is known of a record for its user to carry, and opens it again. */
export interface VersionSeal {
  /** Null where it is too large to be carried. */
  seal(uid: Uid, known: VersionedCredits, now: Millis): string | null;
  /** Null for whatever this project did not seal for this user lately. It never throws. */
  open(uid: Uid, text: string, now: Millis): VersionedCredits | null;
}

/**
 * AES-256-GCM, bound to the user, under a key derived from a secret of the project: it is the same in all instances, and
 * another once the secret is rolled.
 *
 * @param secret empty: nothing is sealed, and nothing opens
 */
export function versionSeal(secret: string): VersionSeal {
  if (secret === '') return { seal: () => null, open: () => null };
  const bytes = hkdfSync('sha256', secret, '', 'extension-billing: carried version', 32);
  // As an object, or Node makes one of it for each seal.
  const key = createSecretKey(new Uint8Array(bytes));
  const nextIv = freshIvs();
  return {
    seal(uid, { credits, rights, updatedAt, version }, now) {
      const at = [version.seconds, version.nanoseconds] as const;
      const form = [SEAL_FORM, NEWEST_FORM] as const;
      const sealed: Sealed = { form, at: now, version: at, updatedAt, credits, rights };
      const iv = nextIv();
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(uid));
      const text = [cipher.update(JSON.stringify(sealed)), cipher.final()];
      const whole = Buffer.concat([iv, ...text, cipher.getAuthTag()]).toString('base64url');
      return whole.length > MAX_CARRIED ? null : whole;
    },
    open(uid, text, now) {
      if (text.length > MAX_CARRIED) return null;
      const sealed = decipher(key, uid, Buffer.from(text, 'base64url'));
      if (sealed === null || now - sealed.at > CARRIED_FOR) return null;
      const { credits, rights, updatedAt } = sealed;
      return { credits, rights, updatedAt, version: new Timestamp(...sealed.version) };
    },
  };
}

/** Each of them once: under one key, no two seals may have the same. */
function freshIvs(): () => Uint8Array {
  let drawn = Buffer.alloc(0);
  return () => {
    if (drawn.length === 0) drawn = randomBytes(IV_BYTES * IVS_AT_ONCE);
    const iv = drawn.subarray(0, IV_BYTES);
    drawn = drawn.subarray(IV_BYTES);
    return iv;
  };
}

function decipher(key: KeyObject, uid: Uid, whole: Buffer): Sealed | null {
  if (whole.length <= IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, whole.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(uid)).setAuthTag(whole.subarray(-TAG_BYTES));
  try {
    const text = [decipher.update(whole.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    const sealed: Sealed = JSON.parse(Buffer.concat(text).toString());
    const [seal, record] = sealed.form;
    return seal === SEAL_FORM && record === NEWEST_FORM ? sealed : null;
  } catch {
    // Not sealed here, or for somebody else, or it was changed.
    return null;
  }
}
