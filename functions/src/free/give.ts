import type { FreeCredits } from '@extension-billing/contract/catalog';
import { type CreditRecord, ownedCredits } from '@extension-billing/contract/credits';
import { type Millis, NO_CREDITS } from '@extension-billing/contract/customer';
import { type CustomerRecord, encodeRecord } from '@extension-billing/contract/record';
import type { Pool } from '@extension-billing/contract/schedule';
import type { DocumentSnapshot, Firestore, Transaction } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
import { findAccount } from '../store/accounts.ts';
import {
  formOf,
  paths,
  readCustomer,
  requireKnownSchema,
  toEntryDocument,
  toNewCustomer,
  toTimestamp,
  type Uid,
} from '../store/documents.ts';
import { groupRead } from '../store/group-read.ts';
import { transact } from '../store/transact.ts';
import { ceilingOf, type FreeCeiling } from './ceiling.ts';
import {
  decideFree,
  type FreeGrant,
  type FreeIdentity,
  type FreeShare,
  freePoolOf,
  type Holder,
  mayBeDue,
  shareOf,
} from './decide.ts';
import type { Claimant } from './identity.ts';

// Free credits come into a record: once for each identity, in one transaction with what is remembered of it.

/** What free credits a request may draw on. */
export interface FreeAccess {
  readonly free: FreeCredits;
  readonly share: FreeShare;
  readonly ceiling: FreeCeiling;
  /** Whether an account is no more: another one may have its identity's free credits. */
  readonly isGone: (uid: string) => Promise<boolean>;
}

/** Null where the catalogue gives nothing for free. */
export function freeAccessOf(
  deps: Pick<AppDeps, 'firestore' | 'auth' | 'log' | 'catalog'>,
  claimant: Claimant,
): FreeAccess | null {
  const { free } = deps.catalog();
  if (free === null) return null;
  const { firestore, auth, log } = deps;
  return {
    free,
    share: shareOf(free, claimant),
    ceiling: ceilingOf(firestore, log),
    isGone: async (uid) => (await findAccount(auth, uid)) === null,
  };
}

/**
 * Gives an account the free credits that it is due, with the record, the ledger entry and what is remembered of the
 * identity in one transaction: whoever asks at once, or again after a deletion, gets what the catalogue says and no more.
 *
 * @returns whether anything was given
 * @throws NewerSchema where a newer build wrote the record
 */
export async function giveFree(
  firestore: Firestore,
  uid: Uid,
  access: FreeAccess,
  now: Millis,
): Promise<boolean> {
  const { free, share } = access;
  for (let gone: string | null = null, another: string | null = null; ; ) {
    const given = await transact(firestore, async (transaction) => {
      const found = await look(transaction, firestore, uid, share);
      requireKnownSchema(...found.snapshots);
      const { pool, holder: had } = found;
      if (!mayBeDue(share, pool, now)) return false;
      if (had !== null && had !== uid && had !== gone && had !== another) return { ask: had };
      const holder = holderOf(found, had !== null && had === another);
      const grant = decideFree({ uid, share, free }, pool, holder, now);
      if (grant === null) return false;
      writeGrant(transaction, firestore, uid, found, grant, share, now);
      return true;
    });
    if (typeof given === 'boolean') return given;
    if (await access.isGone(given.ask)) gone = given.ask;
    else another = given.ask;
  }
}

interface Found {
  readonly snapshots: readonly DocumentSnapshot[];
  readonly record: CustomerRecord | null;
  /** The account's own free credits. */
  readonly pool: Pool | null;
  readonly identity: FreeIdentity | null;
  /** The account that has the identity's free credits; null: none. */
  readonly holder: string | null;
  /** Its record, where it is another account's. */
  readonly before: CustomerRecord | null;
}

/** What a decision needs, in two reads at most. */
async function look(
  reader: Pick<Transaction, 'getAll'> | Firestore,
  firestore: Firestore,
  uid: Uid,
  { identity: hash }: FreeShare,
): Promise<Found> {
  const refs = [
    paths.customer(firestore, uid),
    ...(hash === null ? [] : [paths.freeIdentity(firestore, hash)]),
  ];
  const [customer, stored] = await reader.getAll(...refs);
  const record = readCustomer(customer);
  const identity = readIdentity(stored);
  const holder = identity?.uid ?? null;
  const other = holder === null || holder === uid ? null : paths.customer(firestore, holder as Uid);
  const [old] = other === null ? [] : await reader.getAll(other);
  return {
    snapshots: [customer, old].filter((snapshot) => snapshot !== undefined),
    record,
    pool: freePoolOf(poolsOf(record)),
    identity,
    holder,
    before: readCustomer(old),
  };
}

function readIdentity(snapshot: DocumentSnapshot | undefined): FreeIdentity | null {
  const uid: unknown = snapshot?.get('uid');
  const anchor: unknown = snapshot?.get('anchor');
  return typeof uid === 'string' && typeof anchor === 'number' ? { uid, anchor } : null;
}

function holderOf({ identity, before }: Found, lives: boolean): Holder {
  if (identity === null) return { kind: 'nobody' };
  if (lives) return { kind: 'another' };
  return { kind: 'gone', anchor: identity.anchor, pool: freePoolOf(poolsOf(before)) };
}

function writeGrant(
  transaction: Transaction,
  firestore: Firestore,
  uid: Uid,
  { record, pool: had, identity: known, before }: Found,
  { pool, identity, ended }: FreeGrant,
  { identity: hash }: FreeShare,
  now: Millis,
): void {
  const after = recordWith(record, had, pool, now);
  const document = { ...encodeRecord(after, toTimestamp), schemaVersion: formOf(after) };
  const customer = paths.customer(firestore, uid);
  if (record === null) transaction.create(customer, { ...toNewCustomer(), ...document });
  else transaction.set(customer, document, { merge: true });
  const delta = pool.left - (had?.left ?? 0);
  const entry = {
    id: `period_${after.updatedAt}`,
    kind: 'period',
    granted: Math.max(0, delta),
    deltaAllowance: delta,
    deltaPack: 0,
    allowance: after.creditsAllowance,
    packCredits: after.packCreditsRemaining,
    createdAt: after.updatedAt,
  } as const;
  if (delta !== 0) {
    transaction.create(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
  }
  if (identity !== null && hash !== null) {
    transaction.set(paths.freeIdentity(firestore, hash), { ...identity });
  }
  if (ended !== null && before !== null && known !== null) {
    const left = poolsOf(before).map((other) => (other.source === ended.source ? ended : other));
    const closed = { allowances: left, updatedAt: Math.max(now, before.updatedAt + 1) };
    transaction.update(paths.customer(firestore, known.uid as Uid), encodeRecord(closed, toTimestamp));
  }
}

/** As the balances say: a build that knows no pools spends of them without a word in them. */
function poolsOf(record: CustomerRecord | null): readonly Pool[] {
  return ownedCredits(record)?.pools ?? [];
}

/** The credits of a record once its account has been given a pool, in the place of the one that it had. */
function recordWith(record: CustomerRecord | null, had: Pool | null, pool: Pool, now: Millis) {
  const { allowance, packs } = ownedCredits(record)?.balances ?? NO_CREDITS;
  const creditsAllowance = allowance + pool.left - (had?.left ?? 0);
  const others = poolsOf(record).filter(({ source }) => source !== had?.source);
  return {
    creditsRemaining: creditsAllowance + packs,
    creditsAllowance,
    packCreditsRemaining: packs,
    allowances: [...others, pool],
    // A client keeps the newer of two records, whichever instance's clock is ahead.
    updatedAt: Math.max(now, (record?.updatedAt ?? 0) + 1),
  } satisfies Partial<CustomerRecord>;
}

/**
 * The record that an account would have if it asked for its free credits now. Nothing is written.
 *
 * @returns null for an account without a record that would get none
 */
export async function readWithFree(
  firestore: Firestore,
  uid: Uid,
  access: FreeAccess | null,
  now: Millis,
): Promise<(CreditRecord & Partial<CustomerRecord>) | null> {
  if (access === null) return readCustomer(await groupRead(firestore, paths.customer(firestore, uid)));
  const { share, free, isGone } = access;
  const found = await look(firestore, firestore, uid, share);
  const { record, pool, holder } = found;
  if (!mayBeDue(share, pool, now)) return record;
  const lives = holder !== null && holder !== uid && !(await isGone(holder));
  const grant = decideFree({ uid, share, free }, pool, holderOf(found, lives), now);
  if (grant === null) return record;
  return { currentPeriodEnd: null, ...record, ...recordWith(record, pool, grant.pool, now) };
}
