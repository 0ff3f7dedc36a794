import { readFileSync } from 'node:fs';
import { Timestamp } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { commitCredits } from '../src/credits/commit.ts';
import type { Uid } from '../src/store/documents.ts';
import { MemoryFirestore } from './model/memory-firestore.ts';

const uid = 'user-1' as Uid;

async function anEmptyAccount() {
  const database = new MemoryFirestore();
  const firestore = database.connect();
  const holds = async (packCreditsRemaining: number) => {
    const credits = { creditsRemaining: packCreditsRemaining, creditsAllowance: 0, packCreditsRemaining };
    await firestore.doc(`customers/${uid}`).set({ paid: false, updatedAt: Timestamp.now(), ...credits });
  };
  await holds(0);
  const consume = (key: string) =>
    commitCredits(firestore, uid, { kind: 'consume', key, feature: 'demo', cost: 1 }, Date.now());
  const refusals = () =>
    [...database.documents.keys()].filter((path) => path.includes('/credit_ledger/')).length;
  return { consume, holds, refusals };
}

it('one user’s refusals fill no ledger: beyond the bound nothing is written, and a top-up is seen at once', async () => {
  const { consume, holds, refusals } = await anEmptyAccount();
  const answers = [];
  for (let sent = 0; sent < 400; sent += 100) {
    const together = Array.from({ length: 100 }, (_, index) => consume(`k${sent + index}`));
    answers.push(...(await Promise.all(together)));
  }
  const kinds = Map.groupBy(answers, ({ kind }) => kind);
  expect(kinds.get('exhausted')).toHaveLength(300);
  expect(kinds.get('too_many_refusals')).toHaveLength(100);
  expect(refusals()).toBe(300);
  expect(await consume('k0')).toMatchObject({ kind: 'replayed', entry: { outcome: 'exhausted' } });
  await holds(5);
  expect(await consume('k399')).toMatchObject({ kind: 'granted' });
});

it('the policy that takes refusals away is deployed with the indexes', () => {
  const { fieldOverrides } = JSON.parse(
    readFileSync(new URL('../../firestore.indexes.json', import.meta.url), 'utf8'),
  );
  const policies = fieldOverrides.filter(({ ttl }: { ttl?: boolean }) => ttl === true);
  expect(
    policies.map(({ collectionGroup, fieldPath }: Record<string, string>) => [collectionGroup, fieldPath]),
  ).toEqual([
    ['billing_events', 'expireAt'],
    ['free_days', 'expireAt'],
    ['grant_days', 'expireAt'],
    ['credit_ledger', 'expireAt'],
  ]);
});
