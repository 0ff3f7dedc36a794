import { HOUR } from '@extension-billing/contract/time';
import { Timestamp } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { parseUid } from '../store/documents.ts';
import { commitCredits } from './commit.ts';

const NOW = Date.UTC(2026, 0, 31);
const RECORD = 'customers/ada';
const PRO = { paid: true, plan: 'pro', entitlements: ['basic', 'pro'], creditsAllowance: 100 };

/** An account with this record, and what is asked of it: a feature that needs `pro`. */
function anAccount(record: object) {
  const database = new MemoryFirestore();
  const firestore = database.connect();
  let calls = 0;
  const count = async () => {
    calls += 1;
  };
  database.around = { before: count, after: async () => {} };
  const uid = parseUid('ada');
  if (uid === null) throw new Error('ada is a uid');
  const command = (key: string) => ({ key, feature: 'chat', cost: 1, needs: 'pro' });
  let version = 1_000;
  const put = (data: object) => {
    version += 1;
    database.documents.set(RECORD, { data: { updatedAt: Timestamp.fromMillis(1), ...data }, version });
  };
  put(record);
  return {
    put,
    consume: (key: string, now = NOW) =>
      commitCredits(firestore, uid, { kind: 'consume', ...command(key) }, now),
    reserve: (key: string, now = NOW) =>
      commitCredits(firestore, uid, { kind: 'reserve', lifetime: HOUR, ...command(key) }, now),
    record: () => database.documents.get(RECORD)?.data,
    written: () => database.documents.size,
    calls: () => calls,
  };
}

describe('a feature that needs an entitlement', () => {
  it('runs for whoever has it, warm with the one call that any consume makes', async () => {
    const account = anAccount(PRO);
    expect((await account.consume('one')).kind).toBe('granted');
    const before = account.calls();
    expect((await account.consume('two')).kind).toBe('granted');
    expect(account.calls() - before).toBe(1);
  });

  it.each([
    ['has a plan without it', { ...PRO, entitlements: ['basic'] }],
    ['has a plan from before there were any', { ...PRO, entitlements: undefined }],
    ['has nothing but packs', { paid: false, packCreditsRemaining: 5 }],
    ['has no plan any more, whatever else is stored', { ...PRO, paid: false }],
    ['is not metered', { paid: true, entitlements: ['basic'] }],
    ['had it until a moment ago', { ...PRO, entitlementsUntil: { pro: Timestamp.fromMillis(NOW) } }],
  ])('is refused to whoever %s, held or spent, and nothing is written', async (_who, record) => {
    const account = anAccount(record);
    const before = structuredClone(account.record());
    expect(await account.consume('one')).toEqual({ kind: 'plan_required' });
    expect(await account.reserve('two')).toEqual({ kind: 'plan_required' });
    expect([account.written(), account.record()]).toEqual([1, before]);
  });

  it('is refused only after a fresh look: who has just bought it is not turned away', async () => {
    const account = anAccount({ ...PRO, entitlementsUntil: { pro: Timestamp.fromMillis(NOW + HOUR) } });
    await account.consume('one');
    account.put({ ...PRO, creditsAllowance: 99 });
    expect((await account.consume('two', NOW + HOUR)).kind).toBe('granted');
  });

  it('ends with the plan, also where the instance remembers the record from before', async () => {
    const account = anAccount(PRO);
    await account.consume('one');
    account.put({ ...PRO, entitlements: ['basic'], creditsAllowance: 99 });
    expect((await account.consume('two')).kind).toBe('plan_required');
  });

  it('answers again what it had answered, after the plan has ended too', async () => {
    const account = anAccount(PRO);
    await account.consume('one');
    account.put({ ...PRO, paid: false, creditsAllowance: 99 });
    expect((await account.consume('one')).kind).toBe('replayed');
  });
});
