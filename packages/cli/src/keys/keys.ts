import { randomBytes, randomInt } from 'node:crypto';
import type { Scope } from '@extension-billing/contract/callers';
import type { Millis } from '@extension-billing/contract/customer';
import {
  encodeServiceKey,
  keyState,
  readServiceKey,
  type ServiceKey,
  writeKey,
} from '@extension-billing/contract/service-key';
import type { Firestore } from 'firebase-admin/firestore';
import { hashOfSecret } from '../../../../functions/src/services/keys.ts';
import { paths, toTimestamp } from '../../../../functions/src/store/documents.ts';
import { transact } from '../../../../functions/src/store/transact.ts';
import { connectBooks } from '../support/connect.ts';
import { describeTime, formatTable } from '../support/describe.ts';

/** What a command needs beside its arguments. */
export interface Desk {
  readonly firestore: Firestore;
  readonly now: () => Millis;
  /** For a person. */
  readonly say: (text: string) => void;
  /** The key itself, for a person or a pipe, and nothing else: it is printed here once, and kept nowhere. */
  readonly hand: (key: string) => void;
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Null: it never expires. */
  readonly lasts: Millis | null;
}

/**
 * Makes a key and hands it out.
 *
 * @returns the exit status
 */
export async function createKey({ firestore, now, say, hand }: Desk, asked: NewKey): Promise<number> {
  const { name, scopes, lasts } = asked;
  const [id, secret] = [newId(), newSecret()];
  const createdAt = now();
  const expiresAt = lasts === null ? null : createdAt + lasts;
  const key: ServiceKey = {
    name,
    scopes: [...new Set(scopes)],
    hash: hashOfSecret(secret),
    previous: null,
    createdAt,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  await paths.serviceKey(firestore, id).create(encodeServiceKey(key, toTimestamp));
  say(`Key ${id} may ${key.scopes.join(', ')}${until(expiresAt)}. It is shown this once:`);
  hand(writeKey(id, secret));
  return 0;
}

/** Lists every key that there was, without what opens it. */
export async function listKeys({ firestore, now, say }: Omit<Desk, 'hand'>): Promise<number> {
  const { docs } = await firestore.collection('service_keys').get();
  const keys = docs
    .map((document) => ({ id: document.id, key: readServiceKey(document.data()) }))
    .toSorted((a, b) => (b.key?.createdAt ?? 0) - (a.key?.createdAt ?? 0));
  if (keys.length === 0) {
    say('There are no keys: npx billing keys create --scope consume,hold --name worker');
    return 0;
  }
  say(
    formatTable(
      HEADING,
      keys.map(({ id, key }) => rowOf(id, key, now())),
    ),
  );
  return 0;
}

const HEADING = ['id', 'name', 'scopes', 'state', 'made', 'expires', 'last used'] as const;

function rowOf(id: string, key: ServiceKey | null, now: Millis): readonly string[] {
  if (key === null) return [id, '', '', 'cannot be read, opens nothing', '', '', ''];
  const { name, scopes, createdAt, expiresAt, lastUsedAt, previous } = key;
  const opens = keyState(key, now);
  const isRotating = opens === 'active' && previous !== null && now < previous.until;
  const state = `${opens}${isRotating ? `, the old secret until ${describeTime(previous.until)}` : ''}`;
  const used = lastUsedAt === null ? 'never' : describeTime(lastUsedAt);
  return [id, name, scopes.join(' '), state, describeTime(createdAt), describeTime(expiresAt ?? 0), used];
}

export interface Rotation {
  /** How long the secret before goes on to open the key. */
  readonly overlap: Millis;
  /** Null: it expires when it would have. */
  readonly lasts: Millis | null;
}

/** Gives a key another secret, under the same id: what is written of it, and what it may, stays. */
export async function rotateKey(
  { firestore, now, say, hand }: Desk,
  id: string,
  { overlap, lasts }: Rotation,
): Promise<number> {
  const secret = newSecret();
  const done = await change(firestore, id, (key) => {
    const state = keyState(key, now());
    if (state !== 'active' && (state === 'revoked' || lasts === null)) return null;
    return {
      ...key,
      hash: hashOfSecret(secret),
      previous: overlap === 0 ? null : { hash: key.hash, until: now() + overlap },
      ...(lasts !== null && { expiresAt: now() + lasts }),
    };
  });
  if (done === 'unknown') return noSuchKey(say, id);
  if (done === 'unchanged') {
    say(`Key ${id} is revoked or has expired, and stays so: make another one (npx billing keys create).`);
    return 1;
  }
  const old = done.previous === null ? 'opens nothing any more, within 5 seconds' : 'opens it';
  const end = done.previous === null ? '' : ` until ${describeTime(done.previous.until)}`;
  say(
    `Key ${id} has another secret${until(done.expiresAt)}; the one before ${old}${end}. It is shown this once:`,
  );
  hand(writeKey(id, secret));
  return 0;
}

/** Ends a key for good, within seconds. Again: it stays as it is. */
export async function revokeKey({ firestore, now, say }: Omit<Desk, 'hand'>, id: string): Promise<number> {
  const done = await change(firestore, id, (key) =>
    key.revokedAt === null ? { ...key, revokedAt: now() } : null,
  );
  if (done === 'unknown') return noSuchKey(say, id);
  say(
    done === 'unchanged'
      ? `Key ${id} was revoked before.`
      : `Key ${id} is revoked: every instance of the service refuses it within 5 seconds.`,
  );
  return 0;
}

function noSuchKey(say: Desk['say'], id: string): number {
  say(`There is no key ${id}: npx billing keys list.`);
  return 1;
}

/** Changes a key that is read in the same transaction; null where it is to stay as it is. */
function change(
  firestore: Firestore,
  id: string,
  to: (key: ServiceKey) => ServiceKey | null,
): Promise<ServiceKey | 'unknown' | 'unchanged'> {
  return transact(firestore, async (transaction) => {
    const document = paths.serviceKey(firestore, id);
    const [snapshot] = await transaction.getAll(document);
    const key = readServiceKey(snapshot?.data());
    if (key === null) return 'unknown';
    const changed = to(key);
    if (changed === null) return 'unchanged';
    transaction.set(document, encodeServiceKey(changed, toTimestamp));
    return changed;
  });
}

function until(expiresAt: Millis | null): string {
  return expiresAt === null ? ' and never expires' : ` until ${describeTime(expiresAt)}`;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

function newId(): string {
  return Array.from({ length: 12 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** 256 random bits. */
function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A desk in front of the suite that runs here, or of a project. @throws Refusal */
export async function openDesk(project: string | undefined): Promise<Desk> {
  const { firestore } = await connectBooks(project, process.env);
  return { firestore, now: () => Date.now(), say: console.error, hand: console.log };
}
