import type { Uid } from '../../../../functions/src/domain/uid.ts';
import { endAccount } from '../../../../functions/src/http/end-account.ts';
import { type CheckDeps, checkUser } from '../../../../functions/src/reconcile/check-user.ts';
import { CannotConnect } from '../support/connect.ts';

const OVER: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/**
 * Deletes a user's account as they could by themselves (POST /account/delete), for one who asks by mail: what could
 * still charge them ends, the auth user goes, and record and ledger stay as the books. Without `apply` it only tells
 * what it would do.
 *
 * @returns lines for a person
 * @throws CannotConnect where nothing is known of this uid
 */
export async function eraseUser(deps: CheckDeps, uid: Uid, apply: boolean): Promise<readonly string[]> {
  const { books, view, claim } = await checkUser(deps, uid);
  const running = view.subscriptions.filter(({ state }) => !OVER.has(state.status));
  const { record } = books;
  if (record === null && claim === null && books.customers.length === 0) {
    throw new CannotConnect(`Nothing is known of ${uid}.`);
  }
  const credits = record?.creditsRemaining ?? 0;
  const kept = [
    `kept: the record and the ledger (the books), and ${books.customers.join(', ') || 'no customer'} at the provider, with its invoices`,
    credits > 0 ? `given up: ${credits} credits` : 'given up: no credits',
  ];
  if (!apply) {
    return [
      `would end: ${running.map(({ id, state }) => `${id} (${state.status})`).join(', ') || 'no subscription'}, and every open checkout`,
      `would delete: ${claim === null ? 'no auth user, there is none' : 'the auth user, with mail address and sign-in'}`,
      ...kept,
      `To do it: npm run customer -- erase ${uid} --apply`,
    ];
  }
  const ended = await endAccount(deps, uid);
  return [
    `ended: ${ended} ${ended === 1 ? 'subscription' : 'subscriptions'}, and every open checkout`,
    claim === null ? 'there was no auth user' : 'deleted: the auth user, with mail address and sign-in',
    ...kept,
  ];
}
