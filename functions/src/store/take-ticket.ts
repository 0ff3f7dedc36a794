import type { Firestore } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';
import { paths } from './paths.ts';
import { transact } from './transact.ts';

/**
 * A number higher than every one taken before it for this user. Taken before the provider is asked, it orders
 * the answers of handlers that ask at the same time: a later ticket's answer is the newer one.
 */
export async function takeTicket(firestore: Firestore, uid: Uid): Promise<number> {
  const ref = paths.facts(firestore, uid);
  return transact(firestore, async (transaction) => {
    const [facts] = await transaction.getAll(ref);
    const last: unknown = facts?.get('ticket');
    const ticket = (typeof last === 'number' ? last : 0) + 1;
    transaction.set(ref, { ticket }, { mergeFields: ['ticket'] });
    return ticket;
  });
}
