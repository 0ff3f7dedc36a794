import type { FreeCredits } from '@extension-billing/contract/catalog';
import { type CreditRecord, ownedCredits } from '@extension-billing/contract/credits';
import { type Millis, NO_CREDITS } from '@extension-billing/contract/customer';
import { type CustomerRecord, encodeRecord } from '@extension-billing/contract/record';
import type { Pool } from '@extension-billing/contract/schedule';
import type { DocumentSnapshot, Firestore, Transaction } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
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
import { withoutFree } from './budget.ts';
import { ceilingOf, type FreeCeiling } from './ceiling.ts';
import {
  decideFree,
  type FreeGrant,
  type FreeIdentity,
  type FreeShare,
  freePoolOf,
  isOff,
  lapsed,
  shareOf,
} from './decide.ts';
import type { Claimant } from './identity.ts';

// Gives free credits: a period once for each identity, in one transaction with the identity's document.

/** What free credits a request may draw on. */
export interface FreeAccess {
  readonly free: FreeCredits;
  readonly share: FreeShare;
  readonly ceiling: FreeCeiling;
}

/** Null if the catalogue has no free credits. */
export function freeAccessOf(
  { firestore, log, catalog }: Pick<AppDeps, 'firestore' | 'log' | 'catalog'>,
  claimant: Claimant,
): FreeAccess | null {
  const { free } = catalog();
  if (free === null) return null;
  return { free, share: shareOf(free, claimant), ceiling: ceilingOf(firestore, log) };
}

/**
 * Gives an account the free credits that it is due: concurrent requests, and other accounts of the same identity, get
 * each period once.
 *
 * @throws NewerSchema if a newer build wrote the record
 */
export async function giveFree(
  firestore: Firestore,
  uid: Uid,
  access: FreeAccess,
  now: Millis,
): Promise<void> {
  await transact(firestore, async (transaction) => {
    const found = await look(transaction, firestore, uid, access.share);
    requireKnownSchema(found.customer);
    const grant = decideFree({ uid, ...access }, found.pool, found.identity, now);
    if (grant !== null) writeGrant(transaction, firestore, uid, found, grant, access.share, now);
  });
}

interface Found {
  readonly customer: DocumentSnapshot | undefined;
  readonly record: CustomerRecord | null;
  /** The account's free credits. */
  readonly pool: Pool | null;
  readonly identity: FreeIdentity | null;
}

async function look(
  reader: Pick<Transaction, 'getAll'> | Firestore,
  firestore: Firestore,
  uid: Uid,
  { identity: hash }: FreeShare,
): Promise<Found> {
  const [customer, identity] = await reader.getAll(
    paths.customer(firestore, uid),
    ...(hash === null ? [] : [paths.freeIdentity(firestore, hash)]),
  );
  const record = readCustomer(customer);
  return { customer, record, pool: freePoolOf(poolsOf(record)), identity: readIdentity(identity) };
}

function readIdentity(snapshot: DocumentSnapshot | undefined): FreeIdentity | null {
  const uid: unknown = snapshot?.get('uid');
  const anchor: unknown = snapshot?.get('anchor');
  const until: unknown = snapshot?.get('until');
  if (typeof uid !== 'string' || typeof anchor !== 'number') return null;
  return { uid, anchor, ...((until === null || typeof until === 'number') && { until }) };
}

function writeGrant(
  transaction: Transaction,
  firestore: Firestore,
  uid: Uid,
  { record, pool: had }: Found,
  { pool, identity }: FreeGrant,
  { identity: hash }: FreeShare,
  now: Millis,
): void {
  const after = recordWith(record, had, pool, now);
  const document = { ...encodeRecord(after, toTimestamp), schemaVersion: formOf(after) };
  const customer = paths.customer(firestore, uid);
  if (record === null) transaction.create(customer, { ...toNewCustomer(), ...document });
  else transaction.set(customer, document, { merge: true });
  const delta = pool.left - (had?.left ?? 0);
  const ended = had === null ? 0 : had.left - lapsed(had, now).left;
  const entry = {
    id: `period_${after.updatedAt}`,
    kind: 'period',
    granted: Math.max(0, delta + ended),
    deltaAllowance: delta,
    deltaPack: 0,
    allowance: after.creditsAllowance,
    packCredits: after.packCreditsRemaining,
    createdAt: after.updatedAt,
  } as const;
  if (delta !== 0 || entry.granted > 0) {
    transaction.create(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
  }
  if (identity !== null && hash !== null) {
    transaction.set(paths.freeIdentity(firestore, hash), { ...identity });
  }
}

/** An older build that knows no pools lowers the balances alone: what is missing was spent of the pools. */
function poolsOf(record: CustomerRecord | null): readonly Pool[] {
  return ownedCredits(record)?.pools ?? [];
}

/** The credits of a record with another pool of free credits. */
function recordWith(record: CustomerRecord | null, had: Pool | null, pool: Pool, now: Millis) {
  const { allowance, packs } = ownedCredits(record)?.balances ?? NO_CREDITS;
  const creditsAllowance = allowance + pool.left - (had?.left ?? 0);
  const others = poolsOf(record).filter(({ source }) => source !== had?.source);
  return {
    creditsRemaining: creditsAllowance + packs,
    creditsAllowance,
    packCreditsRemaining: packs,
    allowances: [...others, pool],
    // A client keeps the newer of two records, even if another instance's clock is ahead.
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
  if (access === null || access.share.credits === 0) {
    const stored = readCustomer(await groupRead(firestore, paths.customer(firestore, uid)));
    const isHidden = access === null || isOff(access.share, freePoolOf(poolsOf(stored)));
    return isHidden ? withoutFree(stored, now) : stored;
  }
  const { record, pool, identity } = await look(firestore, firestore, uid, access.share);
  const grant = decideFree({ uid, ...access }, pool, identity, now);
  if (grant === null) return record;
  return { currentPeriodEnd: null, ...record, ...recordWith(record, pool, grant.pool, now) };
}
