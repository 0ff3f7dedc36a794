import { readFileSync } from 'node:fs';
import type { Pool } from '@extension-billing/contract/schedule';
import { Timestamp } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import type { CreditCommand, CreditDecision, Credits } from '../src/credits/commands.ts';
import { commitCredits } from '../src/credits/commit.ts';
import { decideGroup } from '../src/credits/decide.ts';
import { toEntryDocument, type Uid } from '../src/store/documents.ts';
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
  const TEN_YEARS = 3_650 * 86_400_000;
  /** Sends the same request again ten years later, to a new instance. */
  const consumeLater = (key: string) => {
    database.removeExpired(Date.now() + TEN_YEARS);
    const command = { kind: 'consume', key, feature: 'demo', cost: 1 } as const;
    return commitCredits(database.connect(), uid, command, Date.now() + TEN_YEARS);
  };
  const refusals = () =>
    [...database.documents.keys()].filter((path) => path.includes('/credit_ledger/')).length;
  return { consume, consumeLater, holds, refusals };
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

it('a key that was granted answers forever; a refused one is decided anew after its week', async () => {
  const { consume, consumeLater, holds } = await anEmptyAccount();
  expect(await consume('refused')).toMatchObject({ kind: 'exhausted' });
  await holds(5);
  expect(await consume('granted')).toMatchObject({ kind: 'granted', entry: { packCredits: 4 } });
  expect(await consumeLater('granted')).toMatchObject({ kind: 'replayed', entry: { packCredits: 4 } });
  expect(await consumeLater('refused')).toMatchObject({ kind: 'granted', entry: { packCredits: 3 } });
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

const AT = Date.UTC(2026, 10, 22);
const consume = { kind: 'consume', key: 'k', feature: 'demo', cost: 3 } as const;
const reserve = { ...consume, kind: 'reserve', lifetime: 60_000 } as const;
const settle = { kind: 'settle', reservation: 'h', by: 'key:k1', features: {} } as const;
const credits = (allowance: number, holds: Credits['holds'] = []): Credits => ({
  ...{ balances: { allowance, packs: 0 }, pools: [], planEnds: null, holds },
});
const hold = {
  reservation: 'h',
  feature: 'demo',
  credits: 5,
  expiresAt: AT + 60_000,
  byService: true,
} as const;
const recorded = decideGroup([{ ...consume, feature: 'demo_deep' }], credits(9), new Map(), AT).entries;
const known = new Map(
  recorded.flatMap((entry) => (entry.kind === 'period' ? [] : [[entry.id, entry] as const])),
);
const manyHolds = Array.from({ length: 50 }, (_, at) => ({ ...hold, credits: 1, reservation: `h${at}` }));

const freePool: Pool = {
  ...{ source: 'free', kind: 'allowance', amount: 9, every: 'month', anchor: AT, from: AT, until: null },
  ...{ left: 9, period: AT },
};
const ofFree: Credits = { ...credits(9), pools: [freePool] };

/** Each kind of decision that refuses. A new kind has to be placed here. */
const REFUSALS: Readonly<
  Record<
    Exclude<CreditDecision['kind'], 'granted' | 'settled' | 'replayed' | 'free'>,
    readonly (() => ReturnType<typeof decideGroup>)[]
  >
> = {
  exhausted: [consume, reserve].map((command) => () => decideGroup([command], credits(2), new Map(), AT)),
  too_many_refusals: [() => decideGroup([consume], credits(2), new Map(), AT, { refusals: 0 })],
  key_reused: [() => decideGroup([consume], credits(9), known, AT)],
  plan_required: [() => decideGroup([{ ...consume, needs: 'pro' }], credits(9), new Map(), AT)],
  too_many: [() => decideGroup([reserve], credits(99, manyHolds), new Map(), AT)],
  free_ceiling: [() => decideGroup([consume], ofFree, new Map(), AT, { free: 0 })],
  unknown: [() => decideGroup([{ kind: 'confirm', reservation: 'x' }], credits(9), new Map(), AT)],
  above_hold: [
    () =>
      decideGroup(
        [{ ...settle, measured: { amount: 6 } } as CreditCommand],
        credits(9, [hold]),
        new Map(),
        AT,
      ),
  ],
  unknown_unit: [
    () =>
      decideGroup(
        [{ ...settle, measured: { units: { page: 1 } } } as CreditCommand],
        credits(9, [hold]),
        new Map(),
        AT,
      ),
  ],
};

it.each(Object.entries(REFUSALS).flatMap(([kind, asked]) => asked.map((decide) => [kind, decide] as const)))(
  'what is refused as %s leaves nothing for ever',
  (kind, decide) => {
    const { decisions, entries } = decide();
    expect(decisions.map((decision) => decision.kind)).toEqual([kind]);
    for (const entry of entries) {
      const { expireAt, deltaAllowance, deltaPack } = toEntryDocument(entry);
      expect([expireAt instanceof Timestamp, deltaAllowance, deltaPack]).toEqual([true, 0, 0]);
    }
    expect(entries.length).toBe(kind === 'exhausted' ? 1 : 0);
  },
);
