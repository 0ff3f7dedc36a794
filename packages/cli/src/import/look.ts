import { randomBytes } from 'node:crypto';
import type { UserRecord } from 'firebase-admin/auth';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
import { isDeleted } from '../../../../functions/src/events/deletion.ts';
import { readAudits } from '../../../../functions/src/events/grants.ts';
import { findAccount } from '../../../../functions/src/store/accounts.ts';
import { parseUid, paths, type Uid } from '../../../../functions/src/store/documents.ts';
import type { SupportDeps } from '../support/connect.ts';
import type { Seen } from './decide.ts';
import type { Person } from './person.ts';
import { isAtStripe, lookAtCustomer } from './stripe-objects.ts';

/** All that there is of a person: sign-in, what Stripe has, what is known here. Reads only. */
export async function look(deps: SupportDeps, person: Person): Promise<Seen> {
  const stripe = await deps.stripe();
  const { uid, signIn } = await findSignIn(deps, person);
  const looked = await Promise.all(person.customers.map((id) => lookAtCustomer(stripe, id)));
  const customers = looked.filter((each) => each !== null);
  const isKnown = (id: string) =>
    customers.some(
      ({ subscriptions, intents }) => intents.has(id) || subscriptions.some((each) => each.id === id),
    );
  const named = person.said.flatMap(({ stripe: id }) => (id === null || isKnown(id) ? [] : [id]));
  const elsewhere = new Map<string, boolean>();
  for (const id of named) elsewhere.set(id, /^(?:sub|pi)_/.test(id) && (await isAtStripe(stripe, id)));
  const owners = new Map<string, string>();
  for (const { customer } of customers) {
    const owner: unknown = (await paths.providerCustomer(deps.firestore, customer.id).get()).get('uid');
    if (typeof owner === 'string') owners.set(customer.id, owner);
  }
  // First the audit records: what another run grants in between is in the account then, and not only in them.
  const audits = await readAudits(deps.firestore, uid);
  const stored = await readStoredAccount(deps.firestore, uid);
  return { uid, signIn, customers, owners, stored, audits, elsewhere };
}

async function findSignIn(deps: SupportDeps, { uid, mail }: Person): Promise<Pick<Seen, 'uid' | 'signIn'>> {
  if (uid !== null) {
    if ((await findAccount(deps.auth, uid)) !== null) return { uid, signIn: 'there' };
    const facts = await paths.facts(deps.firestore, uid).get();
    return { uid, signIn: isDeleted(facts) ? 'deleted' : 'none' };
  }
  const account = await deps.auth.getUserByEmail(mail ?? '').catch(unlessNobody);
  const known = parseUid(account?.uid);
  if (account === null || known === null) return { uid: newUid(), signIn: 'new' };
  return { uid: known, signIn: account.emailVerified || isUnusedOfImport(account) ? 'there' : 'unproven' };
}

const NOBODY: ReadonlySet<unknown> = new Set(['auth/user-not-found', 'auth/invalid-email']);

function unlessNobody(error: unknown): null {
  if (error instanceof Error && 'code' in error && NOBODY.has(error.code)) return null;
  throw error;
}

/** How the uids of sign-ins begin that an import makes. Firebase makes none that do. */
const IMPORTED_UID = 'imported_';
/** How an earlier version's began, which hashed the mail address. */
const DERIVED_UID = 'import_';

/** A uid for a sign-in that an import makes. Nothing in it tells of the mail address: it outlives an erasure. */
function newUid(): Uid {
  const uid = parseUid(`${IMPORTED_UID}${randomBytes(12).toString('hex')}`);
  if (uid === null) throw new Error('hexadecimal digits always name a user');
  return uid;
}

/** Whether a uid tells of a mail address to who guesses it. */
export function isDerivedUid(uid: string): boolean {
  return uid.startsWith(DERIVED_UID);
}

/**
 * Whether an import made this sign-in and no one has used it. Its mail address is the import's then: to change it, the
 * user would have had to sign in.
 */
export function isUnusedOfImport({ uid, emailVerified, metadata }: UserRecord): boolean {
  if (!(uid.startsWith(IMPORTED_UID) || isDerivedUid(uid)) || emailVerified) return false;
  const { creationTime, lastSignInTime } = metadata;
  // The emulator dates the first sign-in at the creation, in whole seconds as Firebase does.
  return !lastSignInTime || Date.parse(lastSignInTime) - Date.parse(creationTime) <= 1_000;
}
