import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import type { ConsumeCommand, ConsumeDecision } from '../domain/consume.ts';
import type { Uid } from '../domain/uid.ts';
import { commitCredits } from './commit-credits.ts';

/** Spends a feature's cost, once per key. @throws Contended; a retry with the same key is safe. */
export async function commitConsume(
  firestore: Firestore,
  uid: Uid,
  command: ConsumeCommand,
  now: Millis,
): Promise<ConsumeDecision> {
  const answer = await commitCredits(firestore, uid, { of: 'consume', ...command }, now);
  if (answer.of !== 'consume') throw new Error('a consume was answered with another decision');
  return answer.decision;
}
