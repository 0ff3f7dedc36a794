import { setTimeout as sleep } from 'node:timers/promises';
import type { Firestore, Timestamp } from 'firebase-admin/firestore';
import type { OpenCheckout } from '../domain/checkout.ts';
import type { RecentCheckouts } from '../domain/checkout-limit.ts';
import type { Uid } from '../domain/uid.ts';
import { readBuyer } from './checkout-buyer.ts';
import { isConflict } from './conflict.ts';
import { paths } from './paths.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

/** A claim as it was written, with the version that only its owner knows. */
export interface Claim {
  readonly open: OpenCheckout;
  readonly version: Timestamp;
}

/**
 * Claims the one plan checkout of a user on top of what was read, and counts it. Null: another request, or the
 * webhook, wrote in between; read again.
 */
export async function claimCheckout(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  open: OpenCheckout,
  recent: RecentCheckouts,
): Promise<Claim | null> {
  const version = await write(firestore, uid, readVersion, { open, recent });
  return version === null ? null : { open, version };
}

/** Counts a pack's checkout on top of what was read. False: something else was written in between; read again. */
export async function countCheckout(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  recent: RecentCheckouts,
): Promise<boolean> {
  return (await write(firestore, uid, readVersion, { recent })) !== null;
}

/**
 * Puts what came of it in place of a claim. False: the claim had lapsed and another request holds the checkout
 * now.
 */
export async function settleClaim(
  firestore: Firestore,
  uid: Uid,
  claim: Claim,
  settled: OpenCheckout | null,
): Promise<boolean> {
  let version: Timestamp | null = claim.version;
  for (;;) {
    if ((await write(firestore, uid, version, { open: settled })) !== null) return true;
    // The webhook writes to the same document: what counts is that the claim is still this one.
    await sleep(10 + Math.random() * 40);
    const buyer = await readBuyer(firestore, uid);
    if (buyer.open?.attempt !== claim.open.attempt) return false;
    version = buyer.version;
  }
}

async function write(
  firestore: Firestore,
  uid: Uid,
  readVersion: Timestamp | null,
  fields: { readonly open?: OpenCheckout | null; readonly recent?: RecentCheckouts },
): Promise<Timestamp | null> {
  const ref = paths.facts(firestore, uid);
  try {
    const result =
      readVersion === null
        ? await ref.create({ schemaVersion: SCHEMA_VERSION, checkout: fields })
        : await ref.update(namedInCheckout(fields), { lastUpdateTime: readVersion });
    return result.writeTime;
  } catch (error) {
    if (isConflict(error)) return null;
    throw error;
  }
}

/** By their paths, so that the other fields of `checkout` stay as they are. */
function namedInCheckout(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`checkout.${name}`, value]));
}
