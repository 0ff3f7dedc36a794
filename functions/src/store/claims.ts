import type { Firestore } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
import type { Uid } from '../domain/uid.ts';
import { readCustomer } from './customers.ts';
import { paths } from './paths.ts';

/** One sets, the next sees it; each handler that mirrors at the same time may cost one more. */
const MOST_LOOKS = 10;

/**
 * Mirrors `paid` into the user's custom claims, beside the user's other claims. The record is read after the
 * commit, and again after the claim was set: of two handlers that mirror at once, the last one to look sees what
 * is in force. A uid without an auth user (deleted, imported) keeps its record and has no claim.
 *
 * @throws Error when what was set does not come to be seen; the provider's next delivery tries again.
 */
export async function mirrorPaid(
  deps: Pick<AppDeps, 'auth' | 'log'> & { readonly firestore: Firestore },
  uid: Uid,
): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const paid = await readPaid(deps.firestore, uid);
    if (paid === null) return;
    const claims = await readClaims(deps, uid);
    if (claims === null) {
      deps.log.warn('claim_skipped', { reason: 'no auth user' });
      return;
    }
    // A user who never paid needs no claim that says so.
    if ((claims.paid ?? false) === paid) return;
    await deps.auth.setCustomUserClaims(uid, { ...claims, paid });
  }
  throw new Error(`the claim was set ${MOST_LOOKS} times and is not seen`);
}

/** The claim `paid`, false where it was never set; null for a uid without an auth user. */
export async function readPaidClaim(deps: Pick<AppDeps, 'auth'>, uid: Uid): Promise<boolean | null> {
  const claims = await readClaims(deps, uid);
  return claims === null ? null : claims.paid === true;
}

async function readPaid(firestore: Firestore, uid: Uid): Promise<boolean | null> {
  const record = readCustomer(await paths.customer(firestore, uid).get());
  return record?.paid ?? null;
}

async function readClaims(
  { auth }: Pick<AppDeps, 'auth'>,
  uid: Uid,
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return (await auth.getUser(uid)).customClaims ?? {};
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'auth/user-not-found') return null;
    throw error;
  }
}
