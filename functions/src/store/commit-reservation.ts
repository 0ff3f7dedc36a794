import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import type { ReserveCommand, ReserveDecision } from '../domain/reserve.ts';
import type { SettleCommand, SettleDecision } from '../domain/settle.ts';
import type { Uid } from '../domain/uid.ts';
import { commitCredits } from './commit-credits.ts';

/** Holds a feature's cost, once per key. @throws Contended; a retry with the same key is safe. */
export async function commitReserve(
  firestore: Firestore,
  uid: Uid,
  command: ReserveCommand,
  now: Millis,
): Promise<ReserveDecision> {
  const answer = await commitCredits(firestore, uid, { of: 'reserve', ...command }, now);
  if (answer.of !== 'reserve') throw new Error('a reserve was answered with another decision');
  return answer.decision;
}

/** Confirms or releases a reservation, once. @throws Contended; a retry is safe. */
export async function commitSettle(
  firestore: Firestore,
  uid: Uid,
  command: SettleCommand,
  now: Millis,
): Promise<SettleDecision> {
  const answer = await commitCredits(firestore, uid, { of: 'settle', ...command }, now);
  if (answer.of !== 'settle') throw new Error('a settlement was answered with another decision');
  return answer.decision;
}
