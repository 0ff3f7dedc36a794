import {
  type AnyEntry,
  type LedgerEntry,
  readEntry,
  readLedgerEntry,
} from '@extension-billing/contract/ledger';
import { isOver } from '@extension-billing/contract/subscription-status';
import type { Firestore } from 'firebase-admin/firestore';
import { endAccount } from '../../../../functions/src/account/delete.ts';
import { readStoredAccount } from '../../../../functions/src/events/apply.ts';
import { type CheckDeps, checkUser } from '../../../../functions/src/reconcile/user.ts';
import { findAccount } from '../../../../functions/src/store/accounts.ts';
import { parseUid, type Uid } from '../../../../functions/src/store/documents.ts';
import { isDerivedUid } from '../import/look.ts';
import { Refusal } from '../local/refusal.ts';
import type { SupportDeps } from '../support/connect.ts';
import { queries } from '../support/queries.ts';
import { type Beside, deleteBeside, freeIdentitiesOf, readBeside } from './beside.ts';

/** Whom a command was asked about: somebody of whom something is known, or nobody, and what to try then. */
type FoundUser =
  | { readonly kind: 'found'; readonly uid: Uid }
  | { readonly kind: 'nobody'; readonly why: string };

/** Finds a user by uid, or by the mail address of their sign-in, else by that of their customers at the provider. */
export async function findUser(deps: SupportDeps, who: string): Promise<FoundUser> {
  if (who.includes('@')) return findByMail(deps, who);
  const uid = parseUid(who);
  if (uid !== null && (await isKnown(deps, uid))) return { kind: 'found', uid };
  return {
    kind: 'nobody',
    why: `Nobody with the uid ${who}: no sign-in, no record, no facts. Check it, or give the mail address.`,
  };
}

async function findByMail(deps: SupportDeps, mail: string): Promise<FoundUser> {
  const signIn = parseUid(await uidOf(deps.auth.getUserByEmail(mail)));
  if (signIn !== null) return { kind: 'found', uid: signIn };
  const stripe = await deps.stripe();
  const { data } = await stripe.customers.list({ email: mail, limit: 10 });
  const uids = new Set(data.flatMap(({ metadata }) => parseUid(metadata.uid) ?? []));
  const [only, ...more] = uids;
  if (only !== undefined && more.length === 0) return { kind: 'found', uid: only };
  const why =
    uids.size > 1
      ? `No sign-in has the mail ${mail}, and several customers at the provider do: name one of ${[...uids].join(', ')}.`
      : `Nobody with the mail ${mail}: neither a sign-in nor a customer at the provider. Guests have none: ask for the uid.`;
  return { kind: 'nobody', why };
}

async function isKnown(deps: SupportDeps, uid: Uid): Promise<boolean> {
  if ((await uidOf(deps.auth.getUser(uid))) !== null) return true;
  const { record, stored } = await readStoredAccount(deps.firestore, uid);
  return record !== null || stored !== null;
}

/** @throws what went wrong, unless it is that there is no such user. */
function uidOf(asked: Promise<{ readonly uid: string }>): Promise<string | null> {
  return asked.then(
    ({ uid }) => uid,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && NOBODY.has(error.code)) return null;
      throw error;
    },
  );
}

const NOBODY: ReadonlySet<unknown> = new Set([
  'auth/user-not-found',
  'auth/invalid-email',
  'auth/invalid-uid',
]);

/** One row of a user's ledger. */
interface LedgerRow {
  /** As much of it as counts, whoever wrote it. */
  readonly entry: AnyEntry;
  /** The whole of it, where it is one of this service's. */
  readonly own: LedgerEntry | null;
}

/** A user's newest ledger entries, newest first. */
export async function readLedger(
  firestore: Firestore,
  uid: Uid,
  limit: number,
): Promise<readonly LedgerRow[]> {
  const { docs } = await queries.ledgerOf(firestore, uid, 'desc').limit(limit).get();
  return docs.map((doc) => ({
    entry: readEntry(doc.id, doc.data()),
    own: readLedgerEntry(doc.id, doc.data()),
  }));
}

/**
 * Deletes a user's account as they could by themselves (POST /account/delete), for one who asks by mail: what could
 * still charge them ends, the auth user goes with the copies of the mail address in Firestore, and record and ledger stay
 * as the books. Without `apply` it only says what it would do.
 *
 * @returns lines for a person
 * @throws Refusal where nothing is known of this uid
 */
export async function eraseUser(deps: CheckDeps, uid: Uid, apply: boolean): Promise<readonly string[]> {
  const { account, view, claims } = await checkUser(deps, uid);
  const running = view.subscriptions.filter(({ state }) => !isOver(state.status));
  const { record } = account;
  if (record === null && claims === null && account.customers.length === 0) {
    throw new Refusal(`Nothing is known of ${uid}.`);
  }
  const { firestore } = deps;
  const mail = (await findAccount(deps.auth, uid))?.email ?? null;
  const beside = await readBeside(firestore, uid, mail);
  const identities = await freeIdentitiesOf(firestore, uid);
  const credits = record?.creditsRemaining ?? 0;
  const copies = describeCopies(beside);
  const kept = [
    `kept: the record and the ledger (the books), and ${account.customers.join(', ') || 'no customer'} at the provider, with its invoices`,
    ...identities.map(
      ({ id }) =>
        `kept: free_identities/${id}, a hash of what they signed in with, so that free credits come once`,
    ),
    ...(isDerivedUid(uid) ? ['kept: the uid, which an earlier version derived from the mail address'] : []),
    ...(beside.others.length > 0 ? [`left to you: ${beside.others.join(', ')} in customers/${uid}`] : []),
    credits > 0 ? `given up: ${credits} credits` : 'given up: no credits',
  ];
  if (!apply) {
    return [
      `would end: ${running.map(({ id, state }) => `${id} (${state.status})`).join(', ') || 'no subscription'}, and every open checkout`,
      `would delete: ${claims === null ? 'no auth user, there is none' : 'the auth user, with mail address and sign-in'}`,
      ...copies.map((line) => `would delete: ${line}`),
      ...kept,
      `To do it: npx billing customer erase ${uid} --apply`,
    ];
  }
  const ended = await endAccount(deps, uid);
  await deleteBeside(firestore, uid, beside);
  return [
    `ended: ${ended} ${ended === 1 ? 'subscription' : 'subscriptions'}, and every open checkout`,
    claims === null ? 'there was no auth user' : 'deleted: the auth user, with mail address and sign-in',
    ...copies.map((line) => `deleted: ${line}`),
    ...kept,
  ];
}

/** What is deleted beside the account. */
function describeCopies({ fields, collections }: Beside): readonly string[] {
  return [
    ...(fields.length > 0 ? [`${fields.join(', ')} in customers/{uid}`] : []),
    ...collections.map((id) => `customers/{uid}/${id}, the copies of firestore-stripe-payments`),
  ];
}
