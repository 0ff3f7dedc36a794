import { encodeRecord } from '@extension-billing/contract/record';
import { NOT_BEGUN, type Pool } from '@extension-billing/contract/schedule';
import { DAY } from '@extension-billing/contract/time';
import { Timestamp } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { parseUid, toTimestamp } from '../store/documents.ts';
import { commitCredits } from './commit.ts';

const START = Date.UTC(2026, 0, 31);
const RECORD = 'customers/ada';

/** Ten a day, as a catalogue may give them to everybody. */
const POOL: Pool = {
  ...{ source: 'sub', kind: 'allowance', amount: 10, every: 'day', anchor: START, from: START, until: null },
  ...{ left: 0, period: NOT_BEGUN },
};

/** An account and what is asked of its credits, on the first instance or on another one. */
function anAccount() {
  const database = new MemoryFirestore();
  const instances = [database.connect(), database.connect()];
  const ada = parseUid('ada');
  let calls = 0;
  const count = async () => {
    calls += 1;
  };
  database.around = { before: count, after: async () => {} };
  const record = {
    ...{
      creditsRemaining: 0,
      creditsAllowance: 0,
      packCreditsRemaining: 0,
      allowances: [POOL],
      updatedAt: 1,
    },
    ...{ plan: 'some_plan' },
  };
  database.documents.set(RECORD, { data: encodeRecord(record, toTimestamp), version: 1 });
  const consume = (key: string, now: number, { cost = 1, instance = 0 } = {}) => {
    const firestore = instances[instance];
    if (ada === null || firestore === undefined) throw new Error('there are ada and two instances');
    return commitCredits(firestore, ada, { kind: 'consume', key, feature: 'demo', cost }, now);
  };
  const stored = (path: string) => database.documents.get(path)?.data;
  return {
    consume,
    record: () => stored(RECORD),
    documents: database.documents,
    ledger: () =>
      [...database.documents]
        .filter(([path]) => path.includes('/credit_ledger/'))
        .map(([, { data }]) => data),
    /** How often Firestore was called. */
    calls: () => calls,
  };
}

describe('credits of a pool', () => {
  it('begin with the first request that wants them, in one commit with what the clock and the request did', async () => {
    const account = anAccount();
    await account.consume('one', START);
    expect(account.record()).toMatchObject({
      ...{ creditsRemaining: 9, creditsAllowance: 9, packCreditsRemaining: 0 },
      ...{ plan: 'some_plan', schemaVersion: 2 },
      allowances: [{ source: 'sub', left: 9, period: Timestamp.fromMillis(START) }],
    });
    expect(account.ledger().map(({ kind, deltaAllowance }) => [kind, deltaAllowance])).toEqual([
      ['consume', -1],
      ['period', 10],
    ]);
    expect(account.calls()).toBe(2);
  });

  it('begin once, however many ask at once, on whichever instance', async () => {
    const account = anAccount();
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    const decisions = await Promise.all(
      keys.map((key, index) => account.consume(key, START, { instance: index % 2 })),
    );
    expect(decisions.filter(({ kind }) => kind === 'granted')).toHaveLength(10);
    expect(account.record()).toMatchObject({ creditsAllowance: 0, allowances: [{ left: 0 }] });
  });

  it('are refused where they do not cover the cost, and the refusal is recorded once', async () => {
    const account = anAccount();
    expect(await account.consume('one', START, { cost: 11 })).toMatchObject({ kind: 'exhausted' });
    expect(account.record()).toMatchObject({ creditsAllowance: 10 });
    expect(await account.consume('one', START + 1, { cost: 11 })).toMatchObject({ kind: 'replayed' });
    expect(account.ledger()).toHaveLength(2);
  });
});

describe('a period that has begun', () => {
  it('is recorded with the next spend, in its one call to Firestore', async () => {
    const account = anAccount();
    await account.consume('one', START + DAY - 10_000);
    const before = account.calls();
    const { kind } = await account.consume('two', START + DAY, { cost: 10 });
    expect([kind, account.calls() - before]).toEqual(['granted', 1]);
    expect(account.ledger().at(-1)).toMatchObject({
      kind: 'period',
      granted: 10,
      deltaAllowance: 1,
      allowance: 10,
    });
    expect(account.record()).toMatchObject({ creditsAllowance: 0 });
  });

  it('is recorded with a refusal too, whose balances are those of the new period', async () => {
    const account = anAccount();
    await account.consume('one', START);
    expect(await account.consume('two', START + DAY, { cost: 11 })).toMatchObject({
      kind: 'exhausted',
      entry: { allowance: 10 },
    });
    expect(account.record()).toMatchObject({ creditsAllowance: 10 });
  });

  it('is not recorded by a replay', async () => {
    const account = anAccount();
    await account.consume('one', START);
    const before = new Map(account.documents);
    expect(await account.consume('one', START + DAY, { instance: 1 })).toMatchObject({ kind: 'replayed' });
    expect(account.documents).toEqual(before);
  });

  it('comes once where an instance’s clock is ahead', async () => {
    const account = anAccount();
    await account.consume('one', START + DAY, { cost: 10 });
    expect(await account.consume('two', START + DAY - 60_000, { instance: 1 })).toMatchObject({
      kind: 'exhausted',
    });
    expect(await account.consume('three', START + DAY + 1, { instance: 1 })).toMatchObject({
      kind: 'exhausted',
    });
  });
});
