import type { Firestore } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';

const turns = new WeakMap<Firestore, Map<Uid, Promise<unknown>>>();

/**
 * Runs what writes a user's record when what came before it for the same user is over, whichever way that ended.
 *
 * The provider sends the events of one purchase at the same moment. Their transactions read the same documents, so each
 * would keep the others from committing until the database gives one up: four at once took three seconds, one after
 * the other they take milliseconds. Between instances the transactions themselves keep the order.
 */
export function inTurn<Result>(firestore: Firestore, uid: Uid, work: () => Promise<Result>): Promise<Result> {
  const known = turns.get(firestore) ?? new Map<Uid, Promise<unknown>>();
  turns.set(firestore, known);
  const turn = (known.get(uid) ?? Promise.resolve()).then(work);
  const over = turn.then(
    () => {},
    () => {},
  );
  known.set(uid, over);
  void over.then(() => {
    if (known.get(uid) === over) known.delete(uid);
  });
  return turn;
}
