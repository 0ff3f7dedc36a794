import type { AppDeps } from '../deps.ts';
import type { Uid } from '../domain/uid.ts';
import { endCustomer } from '../provider/end-customer.ts';
import { deleteAuthUser } from '../store/auth-users.ts';
import { markDeleted, unmarkDeleted } from '../store/deletion.ts';
import { readStoredBooks } from '../store/read-books.ts';

/**
 * Ends what could still charge a user, then deletes the auth user; record and ledger stay, as the books
 * (docs/decisions/0066-account-deletion.md). Safe to repeat: it carries on where the time before it stopped.
 *
 * @returns the subscriptions that this ended at the provider
 * @throws what the provider threw; nothing is deleted then
 */
export async function endAccount(
  deps: Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now'>,
  uid: Uid,
): Promise<number> {
  await markDeleted(deps.firestore, uid, deps.now());
  let canceled = 0;
  try {
    const { customers } = await readStoredBooks(deps.firestore, uid);
    for (const customer of customers) canceled += await endCustomer(await deps.stripe(), customer);
  } catch (error) {
    await unmarkDeleted(deps.firestore, uid);
    throw error;
  }
  await deleteAuthUser(deps, uid);
  return canceled;
}
