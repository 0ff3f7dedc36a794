import { randomUUID } from 'node:crypto';
import { DAY } from '@extension-billing/contract/time';
import { Timestamp } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { firestore } from '../../../../functions/test/app/emulated-user.ts';
import { countBuyers } from './buyers.ts';

const PLAN = `sold-${randomUUID()}`;

it('counts who has a plan now, of no more records than it may read', async () => {
  const now = Date.now();
  const has = (paid: boolean, entitledUntil: number | null) =>
    firestore.doc(`customers/${PLAN}-${randomUUID()}`).set({
      ...{ paid, plan: PLAN, status: 'active', trialUsed: false, updatedAt: Timestamp.fromMillis(now) },
      ...(entitledUntil !== null && { entitledUntil: Timestamp.fromMillis(entitledUntil) }),
    });
  await Promise.all([has(true, null), has(true, now + DAY), has(true, now - DAY), has(false, null)]);
  const { buyers, all } = await countBuyers(firestore, now, 100_000);
  expect([buyers.get(PLAN), all]).toEqual([2, true]);
  expect(await countBuyers(firestore, now, 3)).toMatchObject({ looked: 3, all: false });
});
