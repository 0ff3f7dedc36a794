import type { UsageEntry, UsageTotal } from '@extension-billing/contract/usage';
import { Timestamp } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { firestore } from './app/emulated-user.ts';
import { packBought } from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

const today = () => new Date().toISOString().slice(0, 10);

interface Page {
  readonly entries: readonly UsageEntry[];
  readonly totals: readonly UsageTotal[];
  readonly next: string | null;
}

describe('GET /credits/usage', () => {
  it('answers the whole ledger in pages, newest first, each entry once', async () => {
    const user = await aUser();
    await deliver(packBought(user, 20));
    await Promise.all(Array.from({ length: 7 }, () => user.consume()));
    await user.consume('demo_deep');
    const seen: UsageEntry[] = [];
    const totals: UsageTotal[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const { status, body } = await user.usage({ limit: '2', ...(cursor === '' ? {} : { cursor }) });
      expect(status).toBe(200);
      const page = body as unknown as Page;
      expect(page.entries.length).toBeLessThanOrEqual(2);
      seen.push(...page.entries);
      totals.push(...page.totals);
      cursor = page.next;
    }
    expect(pages).toBe(5);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set((await user.ledger()).keys()));
    expect(seen).toHaveLength(9);
    const times = seen.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(seen.at(-1)).toMatchObject({ kind: 'grant', feature: null, deltaPack: 20, balance: 20 });
    const spent = (name: string) =>
      totals.filter(({ feature }) => feature === name).reduce((sum, { credits }) => sum + credits, 0);
    expect([spent('demo'), spent('demo_deep')]).toEqual([7, 5]);
  });

  it('adds up by feature and day', async () => {
    const user = await aUser();
    await deliver(packBought(user, 10));
    await user.consume();
    await user.consume('demo_deep');
    await user.consume();
    await user.consume('demo_deep');
    const { body } = await user.usage({ from: today(), to: today() });
    expect(body.totals).toEqual([
      { day: today(), feature: 'demo', credits: 2, count: 2 },
      { day: today(), feature: 'demo_deep', credits: 5, count: 1 },
    ]);
    expect(body.next).toBeNull();
  });

  it('shows what the clock did, as the balance did before anybody wrote it', async () => {
    const user = await aUser();
    const yesterday = Timestamp.fromMillis(Date.now() - 86_400_000 - 60_000);
    const pool = {
      ...{ source: 'sub', kind: 'allowance', amount: 10, every: 'day', until: null, rollover: 2 },
      ...{ anchor: yesterday, from: yesterday, period: yesterday, left: 4 },
      ...{ limits: [{ amount: 7, every: '5h' }], used: [{ start: yesterday, credits: 6 }] },
    };
    await firestore.doc(`customers/${user.uid}`).set({
      ...{ creditsRemaining: 4, creditsAllowance: 4, packCreditsRemaining: 0, allowances: [pool] },
      schemaVersion: 2,
    });
    expect(await user.balance()).toEqual({ balance: 7, allowance: 7 });
    expect(await user.consume('demo_deep')).toMatchObject({ status: 200, body: { balance: 2 } });
    const { body } = await user.usage({});
    expect(body.entries).toMatchObject([
      { kind: 'consume', deltaAllowance: -5, balance: 7 },
      { kind: 'period', feature: null, deltaAllowance: 8, balance: 12 },
    ]);
    expect(await user.balance()).toEqual({ balance: 2, allowance: 2 });
    const { allowances } = (await user.record()) ?? {};
    expect(allowances).toMatchObject([{ left: 7, used: [{ credits: 5 }], anchor: yesterday }]);
  });

  it('shows the receipt of what a backend measured, and none where there is none', async () => {
    const user = await aUser();
    await deliver(packBought(user, 10));
    const receipt = {
      label: 'small-model',
      lines: [{ unit: 'input', quantity: 1_200, credits: 1, per: 400 }],
    };
    await firestore.doc(`customers/${user.uid}/credit_ledger/settle_job`).set({
      ...{ kind: 'confirm', feature: 'chat', cost: 3, deltaAllowance: 0, deltaPack: -3, receipt },
      ...{ allowance: 0, packCredits: 7, createdAt: Timestamp.now(), by: 'process:shop' },
    });
    const { body } = await user.usage({});
    const [measured, bought] = (body as unknown as Page).entries;
    expect(measured).toMatchObject({ id: 'settle_job', feature: 'chat', deltaPack: -3, balance: 7 });
    expect(measured?.receipt).toEqual(receipt);
    expect(measured).not.toHaveProperty('by');
    expect(bought).not.toHaveProperty('receipt');
    expect(body.totals).toMatchObject([{ feature: 'chat', credits: 3, count: 1 }]);
  });

  it('takes the entries of the range and no others', async () => {
    const user = await aUser();
    await deliver(packBought(user, 10));
    await user.consume();
    const { body } = await user.usage({ from: '2025-01-01', to: '2025-12-31' });
    expect(body).toEqual({ entries: [], totals: [], next: null });
  });

  it('shows a user their own entries only', async () => {
    const user = await aUser();
    await deliver(packBought(user, 10));
    const stranger = await aUser();
    expect((await stranger.usage({})).body.entries).toEqual([]);
    const { body } = await user.usage({ limit: '1' });
    expect(body.entries).toHaveLength(1);
  });

  it.each([
    [{ from: 'yesterday' }, 'from'],
    [{ from: '2020-01-01', to: '2026-01-01' }, 'from'],
    [{ to: '2026-02-30' }, 'to'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '501' }, 'limit'],
    [{ limit: '1.5' }, 'limit'],
    [{ cursor: 'nonsense' }, 'cursor'],
    [{ cursor: Buffer.from('1:a/b').toString('base64url') }, 'cursor'],
    [{ page: '2' }, 'page'],
  ])('%j is a 400 that names %s', async (query, field) => {
    const user = await aUser();
    const { status, body } = await user.usage(query);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(`${field}:`);
  });
});
