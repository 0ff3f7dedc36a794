import type { ConsumeEntry } from '@extension-billing/contract/ledger';
import { expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { compactLedger } from '../ledger/compact.ts';
import { parseUid, toEntryDocument, type Uid } from '../store/documents.ts';
import { reportSource } from './accounts.ts';

const DAY = 86_400_000;
const uid = parseUid('a'.repeat(28)) as Uid;

it('counts what a key spent before it was rolled, and what it spent when it was used again', async () => {
  const now = Date.now();
  const database = new MemoryFirestore();
  const firestore = database.connect();
  const spend = async (createdAt: number) => {
    const entry: ConsumeEntry = {
      ...{ id: 'consume_monthly', kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted', createdAt },
      ...{ deltaAllowance: -1, deltaPack: 0, allowance: 9, packCredits: 0 },
    };
    await database.doc(`customers/${uid}/credit_ledger/${entry.id}`).set(toEntryDocument(entry));
  };
  await spend(now - 200 * DAY);
  await compactLedger(firestore, uid, now - 100 * DAY, now);
  await spend(now - 40 * DAY);
  const days: number[] = [];
  const source = reportSource(firestore);
  for await (const { createdAt } of source.entries(uid, { from: now - 365 * DAY, to: now })) {
    days.push(Math.round((now - createdAt) / DAY));
  }
  expect(days).toEqual([40, 200]);
});
