import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MINUTE } from '@extension-billing/contract/time';
import { Timestamp } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { parseUid } from '../store/documents.ts';
import type { CreditCommand } from './commands.ts';
import { commitCredits, knownVersion } from './commit.ts';
import { VersionCache, versionSeal } from './versions.ts';

const NOW = Date.UTC(2026, 0, 31);
const RECORD = 'customers/ada';
const PRO = { paid: true, plan: 'pro', entitlements: ['basic', 'pro'], creditsAllowance: 10 };
const uid = parseUid('ada') ?? expect.fail();

/** An account, asked of at any of three instances, with a version that its client carries. */
function anAccount(record: object) {
  const database = new MemoryFirestore();
  const instances = [database.connect(), database.connect(), database.connect()] as const;
  const { seal, open } = versionSeal('whsec_test');
  let version = 1_000;
  const put = (data: object) => {
    version += 100;
    database.documents.set(RECORD, { data: { updatedAt: Timestamp.fromMillis(1), ...data }, version });
  };
  put(record);
  return {
    put,
    remove: () => database.documents.delete(RECORD),
    allowance: () => database.documents.get(RECORD)?.data.creditsAllowance,
    /** What was decided, and the version that the answer brings. */
    async ask(at: 0 | 1 | 2, command: CreditCommand, carried: string | null = null, now = NOW) {
      const known = carried === null ? null : open(uid, carried, now);
      const decision = await commitCredits(instances[at], uid, command, now, null, known);
      const next = knownVersion(instances[at], uid, now);
      return { ...decision, carried: next === null ? null : seal(uid, next, now) };
    },
  };
}
const consume = (key: string, cost = 1): CreditCommand => ({ kind: 'consume', key, feature: 'chat', cost });
const HOLD = { kind: 'reserve', key: 'r', feature: 'chat', cost: 6, lifetime: MINUTE } as const;

it('a version from before a plan ended opens nothing that the plan did', async () => {
  const account = anAccount(PRO);
  const { carried } = await account.ask(0, { ...consume('a'), needs: 'pro' } as CreditCommand);
  account.put({ ...PRO, entitlements: ['basic'] });
  const withPlan = { ...consume('b'), needs: 'pro' } as CreditCommand;
  expect(await account.ask(1, withPlan, carried)).toMatchObject({ kind: 'plan_required' });
  expect(await account.ask(2, { ...HOLD, needs: 'pro' }, carried)).toMatchObject({ kind: 'plan_required' });
  expect(await account.ask(2, consume('c'), carried)).toMatchObject({ kind: 'granted' });
});

it('a version from before an account was deleted brings nothing of it back', async () => {
  const account = anAccount(PRO);
  const { carried } = await account.ask(0, consume('a'));
  account.remove();
  expect(await account.ask(1, consume('b'), carried)).toMatchObject({ kind: 'free' });
  account.put({ paid: false, packCreditsRemaining: 1 });
  expect(await account.ask(1, consume('c'), carried)).toMatchObject({ kind: 'granted' });
  expect(await account.ask(2, consume('d'), carried)).toMatchObject({ kind: 'exhausted' });
});

it('a version from before a reservation ended ends it no second time', async () => {
  const account = anAccount(PRO);
  const { carried } = await account.ask(0, HOLD);
  expect(await account.ask(1, consume('a', 6), carried)).toMatchObject({ kind: 'exhausted' });
  const confirm = { kind: 'confirm', reservation: 'r' } as const;
  expect(await account.ask(1, confirm, carried)).toMatchObject({ kind: 'settled' });
  expect(await account.ask(2, confirm, carried)).toMatchObject({ kind: 'replayed' });
  expect(await account.ask(2, { ...confirm, kind: 'release' }, carried)).toMatchObject({ kind: 'replayed' });
  expect(account.allowance()).toBe(4);
});

it('a version in which a reservation is open does not confirm it after its end', async () => {
  const account = anAccount(PRO);
  const { carried } = await account.ask(0, HOLD);
  const late = await account.ask(1, { kind: 'confirm', reservation: 'r' }, carried, NOW + MINUTE + 1);
  expect(late).toMatchObject({ kind: 'settled', entry: { kind: 'expiry' } });
  expect(account.allowance()).toBe(10);
});

it('an instance remembers the 10,000 users who wrote last, whoever came and went before', () => {
  const cache = new VersionCache<number>();
  const named = (n: number) => parseUid(`user-${n}`) ?? expect.fail();
  const isKnown = (n: number): boolean => cache.get(named(n), NOW) !== null;
  for (let n = 0; n < 25_000; n += 1) {
    cache.set(named(n), n, NOW);
    // The first one comes again and again, and some are forgotten meanwhile.
    if (n % 100 === 0) cache.set(named(0), n, NOW);
    if (n % 1_000 === 999) cache.delete(named(n));
  }
  expect([0, 15_100, 24_998].map(isKnown)).toEqual([true, true, true]);
  expect([1, 14_000, 24_999].map(isKnown)).toEqual([false, false, false]);
});

it('an instance keeps of users who come again and again what is known last, and no more', async () => {
  const cache = new VersionCache<object>();
  const users = ['ada', 'bob', 'cy'].map((name) => parseUid(name) ?? expect.fail());
  const known = Array.from({ length: 300 }, (_, n) => {
    const value = {};
    cache.set(users[n % users.length] ?? uid, value, NOW);
    return new WeakRef(value);
  });
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const kept = (): number => {
    collect();
    return known.filter((value) => value.deref() !== undefined).length;
  };
  // What a look finds is held until its turn of the event loop is over, and a large heap takes a while to go through.
  await expect.poll(kept, { timeout: 30_000 }).toBe(users.length);
  expect(cache.get(uid, NOW)).toBe(known.at(-3)?.deref());
});

/** Another instance, whose clock was ahead by this much, wrote the record last. */
const aheadBy = (ms: number) => ({ ...PRO, updatedAt: Timestamp.fromMillis(NOW + ms) });

it.each([10 * MINUTE, 24 * 60 * MINUTE])(
  'holds last as long as asked, whatever is ahead of time: %i ms',
  async (ms) => {
    const account = anAccount(aheadBy(ms));
    for (let round = 0; round < 60; round += 1) {
      const at = NOW + round * 2_000;
      const asked = { ...HOLD, key: `r${round}`, cost: 6, lifetime: 1_000 };
      expect(await account.ask(0, asked, null, at)).toMatchObject({ kind: 'granted' });
    }
    await account.ask(0, HOLD, null, NOW + 120_000);
    const later = { kind: 'confirm', reservation: 'r' } as const;
    expect(await account.ask(1, consume('a', 10), null, NOW + 179_000)).toMatchObject({ kind: 'exhausted' });
    expect(await account.ask(1, consume('b', 10), null, NOW + 180_500)).toMatchObject({ kind: 'granted' });
    expect(await account.ask(2, later, null, NOW + 181_000)).toMatchObject({ entry: { kind: 'expiry' } });
  },
);

it('a reserve is replayed, and refused for another lifetime, whatever is ahead of time', async () => {
  const account = anAccount(aheadBy(10 * MINUTE));
  await account.ask(0, HOLD);
  expect(await account.ask(1, HOLD)).toMatchObject({ kind: 'replayed', hasEnded: false });
  expect(await account.ask(1, { ...HOLD, lifetime: MINUTE + 1 })).toMatchObject({ kind: 'key_reused' });
});

it('an instance that is ahead by less than a minute ends no hold of another one early', async () => {
  const account = anAccount(aheadBy(MINUTE / 2));
  await account.ask(0, HOLD);
  const confirm = { kind: 'confirm', reservation: 'r' } as const;
  expect(await account.ask(1, confirm, null, NOW + 1.4 * MINUTE)).toMatchObject({
    entry: { kind: 'confirm' },
  });
});
