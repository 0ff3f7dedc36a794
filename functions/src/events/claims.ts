import { type ClaimedRights, isSameRights, rightsIn } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
import { findAccount } from '../store/accounts.ts';
import { paths, readCustomer, type Uid } from '../store/documents.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Characters of JSON that Firebase takes as a user's claims. */
const LONGEST_CLAIMS = 1000;

/**
 * The user's claims with these rights in the place of what they say of them. Firebase takes no longer claims, so what the
 * owner's own leave no room for is left out: `entitlements` first, then `paid`.
 */
export function claimsWith(claims: Claims, { paid, entitlements }: ClaimedRights): Claims {
  const { paid: _, entitlements: before, ...own } = claims;
  // What is no list was never one of ours.
  const others = before === undefined || Array.isArray(before) ? own : { ...own, entitlements: before };
  const whole = entitlements.length === 0 ? { ...others, paid } : { ...own, paid, entitlements };
  const fits = (wanted: Claims) => JSON.stringify(wanted).length <= LONGEST_CLAIMS;
  return [whole, { ...others, paid }].find(fits) ?? others;
}

/** The rights that claims name; a claim that is none counts as not set. */
export function rightsOf({ paid, entitlements }: Claims): ClaimedRights {
  const names = Array.isArray(entitlements) ? entitlements.filter((name) => typeof name === 'string') : [];
  return { paid: paid === true, entitlements: names };
}

/** One sets, the next sees it; each handler that mirrors at the same time may cost one more. */
const MAX_LOOKS = 10;

/**
 * Mirrors `paid` and `entitlements` into the user's custom claims, beside the user's other claims. The record is read
 * after the commit, and again after the claims were set: of two handlers that mirror at once, the last one to look sees
 * what is in force. A uid without an auth user (deleted, imported) keeps its record and has no claim.
 *
 * @throws Error when what was set does not come to be seen; the provider's next delivery tries again.
 */
export async function mirrorRights(
  deps: Pick<AppDeps, 'auth' | 'log'> & { readonly firestore: Firestore },
  uid: Uid,
): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const record = readCustomer(await paths.customer(deps.firestore, uid).get());
    if (record === null) return;
    const claims = await readClaims(deps, uid);
    if (claims === null) {
      deps.log.warn('claim_skipped', { reason: 'no auth user' });
      return;
    }
    const rights = rightsIn(record);
    const wanted = claimsWith(claims, rights);
    const isLeftOut = !isSameRights(rightsOf(wanted), rights);
    if (isLeftOut)
      deps.log.warn('claim_too_large', { entitlements: rights.entitlements.length, paid: rights.paid });
    // A user who never paid needs no claim that says so.
    if (isSameRights(rightsOf(claims), rightsOf(wanted))) return;
    await deps.auth.setCustomUserClaims(uid, wanted);
  }
  throw new Error(`the claim was set ${MAX_LOOKS} times and is not seen`);
}

/** The claims as they are; null for a uid without an auth user. */
export async function readClaims({ auth }: Pick<AppDeps, 'auth'>, uid: Uid): Promise<Claims | null> {
  const account = await findAccount(auth, uid);
  return account === null ? null : (account.customClaims ?? {});
}
