import { createHash } from 'node:crypto';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
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
  const stored = await readStoredAccount(deps.firestore, uid);
  const audits = await readAudits(deps.firestore, uid);
  return { uid, signIn, customers, owners, stored, audits, elsewhere };
}

async function findSignIn(deps: SupportDeps, { uid, mail }: Person): Promise<Pick<Seen, 'uid' | 'signIn'>> {
  if (uid !== null) return { uid, signIn: (await findAccount(deps.auth, uid)) === null ? 'none' : 'there' };
  const made = uidFor(mail ?? '');
  const account = await deps.auth.getUserByEmail(mail ?? '').catch(unlessNobody);
  const known = parseUid(account?.uid);
  if (account === null || known === null) return { uid: made, signIn: 'new' };
  return { uid: known, signIn: account.emailVerified || known === made ? 'there' : 'unproven' };
}

const NOBODY: ReadonlySet<unknown> = new Set(['auth/user-not-found', 'auth/invalid-email']);

function unlessNobody(error: unknown): null {
  if (error instanceof Error && 'code' in error && NOBODY.has(error.code)) return null;
  throw error;
}

/** The uid of a sign-in that an import makes: the same in every run, so that none is made twice. */
export function uidFor(mail: string): Uid {
  const uid = parseUid(
    `import_${createHash('sha256').update(mail.toLowerCase()).digest('hex').slice(0, 24)}`,
  );
  if (uid === null) throw new Error('a hash can always name a user');
  return uid;
}
