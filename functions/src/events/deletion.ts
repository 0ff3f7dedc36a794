import { randomUUID } from 'node:crypto';
import type { Millis } from '@extension-billing/contract/customer';
import type { UserRecord } from 'firebase-admin/auth';
import { type DocumentSnapshot, FieldValue, type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { AppDeps } from '../deps.ts';
import { findAccount } from '../store/accounts.ts';
import { paths, type Uid } from '../store/documents.ts';
import { transact } from '../store/transact.ts';
import { commitEvent, readFacts } from './apply.ts';

// Which accounts are deleted, in two fields of `billing_facts/{uid}`: `deletedAt` closes the account, and `deletion` says
// who set it (docs/decisions/account-deletion.md). Several deletions of one account may run at the same time.

/** The field `deletion`. */
interface StoredDeletion {
  /** Deletions that run, by id, with their start. */
  readonly attempts?: Readonly<Record<string, Timestamp>>;
  /** When one of them had ended all that charges. From then on no failure opens the account again. */
  readonly endedAt?: Timestamp;
}

type CloseDeps = Pick<AppDeps, 'firestore' | 'catalog' | 'now'>;

/** A deletion that neither succeeded nor failed within this time has crashed. */
const ATTEMPT_ENDS_WITHIN: Millis = 10 * 60_000;

/** Whether an account is deleted, or is being deleted, by its facts. */
export function isDeleted(facts: DocumentSnapshot | undefined): boolean {
  return facts?.get('deletedAt') !== undefined;
}

/**
 * Closes an account for a deletion that begins, and gives up its open checkout: a request that is making one finds its
 * claim gone, and closes what it made.
 *
 * @returns the id of this attempt
 */
export async function beginDeletion(firestore: Firestore, uid: Uid, now: Millis): Promise<string> {
  const attempt = randomUUID();
  const at = Timestamp.fromMillis(now);
  const fields = { deletedAt: at, deletion: { attempts: { [attempt]: at } }, checkout: { open: null } };
  await paths.facts(firestore, uid).set(fields, { merge: true });
  return attempt;
}

/** Keeps the account closed, whatever becomes of this attempt and of others: nothing charges it any more. */
export async function keepDeleted(firestore: Firestore, uid: Uid, now: Millis): Promise<void> {
  await paths.facts(firestore, uid).update({ 'deletion.endedAt': Timestamp.fromMillis(now) });
}

/**
 * Gives up what a deleted account has: credits, a lifetime plan, complimentary plans. The ledger keeps what it had, and a
 * used trial stays used. A second time changes nothing.
 */
export async function closeAccount(deps: CloseDeps, uid: Uid): Promise<void> {
  const { firestore, now } = deps;
  const [facts, customer] = await firestore.getAll(
    paths.facts(firestore, uid),
    paths.customer(firestore, uid),
  );
  const at = closedAtIn(facts);
  if (at === null || (readFacts(facts) === null && customer?.exists !== true)) return;
  const fact = { kind: 'account_closed', at } as const;
  const event = { id: `closed_${uid}_${at}`, type: 'account.closed', at, customer: null, fact };
  await commitEvent(deps, uid, event, now());
}

/** Ends an attempt of which nothing is left to do, or whose sign-in could not be deleted. */
export async function finishDeletion(firestore: Firestore, uid: Uid, attempt: string): Promise<void> {
  await paths.facts(firestore, uid).update({ [`deletion.attempts.${attempt}`]: FieldValue.delete() });
}

/**
 * Ends an attempt that could not end what charges. The account opens again only if no other attempt runs: that one may
 * have looked for open checkouts already, and would miss one that is opened now.
 *
 * @returns `deleted` if another attempt succeeded meanwhile
 */
export async function abandonDeletion(
  firestore: Firestore,
  uid: Uid,
  attempt: string,
  now: Millis,
): Promise<'deleted' | 'abandoned'> {
  const ref = paths.facts(firestore, uid);
  return transact(firestore, async (transaction) => {
    const [facts] = await transaction.getAll(ref);
    const hasEnded = deletionIn(facts).endedAt !== undefined;
    if (hasEnded || isRunning(facts, now, attempt))
      transaction.update(ref, { [`deletion.attempts.${attempt}`]: FieldValue.delete() });
    else transaction.update(ref, { deletedAt: FieldValue.delete(), deletion: FieldValue.delete() });
    return hasEnded ? 'deleted' : 'abandoned';
  });
}

/**
 * Opens a deleted account for the person who signed in with its uid again, which only the owner's own token service makes
 * possible. The deletion removed the sign-in, so the one that is there now is new. What the account had stays given up. Also
 * opens one whose deletion crashed before it had ended what charges: nothing was deleted.
 *
 * @returns whether the account is open now
 * @throws what the SDK throws if Firebase Auth can't be asked
 */
export async function reopenAccount(deps: CloseDeps & Pick<AppDeps, 'auth'>, uid: Uid): Promise<boolean> {
  const { firestore, auth, now } = deps;
  const ref = paths.facts(firestore, uid);
  const seen = await ref.get();
  if (!isDeleted(seen) || isRunning(seen, now(), null)) return false;
  const account = await findAccount(auth, uid);
  if (account === null || !isNewSince(account, seen)) return false;
  await closeAccount(deps, uid);
  return transact(firestore, async (transaction) => {
    const [facts] = await transaction.getAll(ref);
    if (!isDeleted(facts)) return true;
    // Another deletion began since.
    if (isRunning(facts, now(), null)) return false;
    transaction.update(ref, { deletedAt: FieldValue.delete(), deletion: FieldValue.delete() });
    return true;
  });
}

/** An earlier version did not keep how far a deletion came: then the sign-in has to be younger than the mark. */
function isNewSince({ metadata }: UserRecord, facts: DocumentSnapshot): boolean {
  if (deletionIn(facts).endedAt !== undefined) return true;
  return Date.parse(metadata.creationTime) > (closedAtIn(facts) ?? 0);
}

/** When nothing charged a deleted account any more; null if it is not deleted, or not that far. */
function closedAtIn(facts: DocumentSnapshot | undefined): Millis | null {
  const deletedAt: unknown = facts?.get('deletedAt');
  if (!(deletedAt instanceof Timestamp)) return null;
  const deletion: unknown = facts?.get('deletion');
  const endedAt = deletion === undefined ? deletedAt : deletionIn(facts).endedAt;
  return endedAt?.toMillis() ?? null;
}

function isRunning(facts: DocumentSnapshot | undefined, now: Millis, except: string | null): boolean {
  return Object.entries(deletionIn(facts).attempts ?? {}).some(
    ([attempt, begun]) => attempt !== except && begun.toMillis() > now - ATTEMPT_ENDS_WITHIN,
  );
}

function deletionIn(facts: DocumentSnapshot | undefined): StoredDeletion {
  return (facts?.get('deletion') as StoredDeletion | undefined) ?? {};
}
