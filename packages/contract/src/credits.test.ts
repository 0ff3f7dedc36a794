import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceCredits,
  availableOf,
  besidePools,
  type CreditRecord,
  creditsAt,
  type OwnedCredits,
  ownedCredits,
  spendCredits,
} from './credits.ts';
import { NOT_BEGUN, type Pool } from './schedule.ts';
import { DAY } from './time.ts';

const START = Date.UTC(2026, 0, 31);

function aPool(source: string, over: Partial<Pool> = {}): Pool {
  return {
    ...{ source, kind: 'allowance', amount: 10, every: 'month', anchor: START, from: START, until: null },
    ...{ left: 10, period: START },
    ...over,
  };
}

function aRecord(pools: readonly Pool[], over: Partial<CreditRecord> = {}): CreditRecord {
  const left = (kind: Pool['kind']) =>
    pools.reduce((sum, pool) => sum + (pool.kind === kind ? pool.left : 0), 0);
  return {
    creditsAllowance: left('allowance'),
    packCreditsRemaining: left('pack'),
    currentPeriodEnd: null,
    allowances: pools,
    ...over,
  };
}

function owned(record: CreditRecord): OwnedCredits {
  const found = ownedCredits(record);
  if (found === null) throw new Error('this record has credits');
  return found;
}

/** What is left of each source after a spend: pools by name, and what is beside them. */
function leftAfter(record: CreditRecord, credits: number, now = START): Record<string, number> {
  const after = spendCredits(advanceCredits(owned(record), now), credits, now);
  const beside = besidePools(after);
  return {
    ...Object.fromEntries(after.pools.map(({ source, left }) => [source, left])),
    ...{ allowance: beside.allowance, packs: beside.packs },
  };
}

describe('spending takes', () => {
  const POOLS = [
    aPool('yearly', { every: 'month' }),
    aPool('free', { every: 'day' }),
    aPool('promo', { kind: 'pack', every: 'once', until: START + 90 * DAY }),
    aPool('early', { kind: 'pack', every: 'once', until: START + 30 * DAY }),
  ];
  const record = aRecord(POOLS, { creditsAllowance: 25, packCreditsRemaining: 27 });

  it.each([
    [3, { free: 7, yearly: 10, allowance: 5, early: 10, promo: 10, packs: 7 }],
    [13, { free: 0, yearly: 10, allowance: 2, early: 10, promo: 10, packs: 7 }],
    [20, { free: 0, yearly: 5, allowance: 0, early: 10, promo: 10, packs: 7 }],
    [28, { free: 0, yearly: 0, allowance: 0, early: 7, promo: 10, packs: 7 }],
    [47, { free: 0, yearly: 0, allowance: 0, early: 0, promo: 0, packs: 5 }],
    [99, { free: 0, yearly: 0, allowance: 0, early: 0, promo: 0, packs: 0 }],
  ])('%i credits of what ends first, allowances before packs', (credits, left) => {
    expect(leftAfter({ ...record, currentPeriodEnd: START + 10 * DAY }, credits)).toEqual(left);
  });

  it('the plan’s own allowance last where nothing says when it ends', () => {
    expect(leftAfter(record, 20)).toMatchObject({ free: 0, yearly: 0, allowance: 5 });
  });

  it('what a limit keeps back from another source', () => {
    const limits = [{ amount: 2, every: '5h' as const }];
    const limited = aRecord([aPool('free', { limits })], { packCreditsRemaining: 5 });
    expect(creditsAt(limited, START)).toEqual({ allowance: 2, packs: 5 });
    expect(leftAfter(limited, 4)).toEqual({ free: 8, allowance: 0, packs: 3 });
  });
});

describe('balances that somebody else wrote', () => {
  const pools = [aPool('yearly'), aPool('free', { every: 'day' })];

  it('were spent of what ends first where they are below the pools', () => {
    const record = aRecord(pools, { creditsAllowance: 7 });
    expect(leftAfter(record, 0)).toMatchObject({ free: 0, yearly: 7, allowance: 0 });
    expect(creditsAt(record, START)).toEqual({ allowance: 7, packs: 0 });
  });

  it('have beside the pools what is above them', () => {
    expect(leftAfter(aRecord(pools, { creditsAllowance: 50 }), 0)).toMatchObject({ allowance: 30 });
  });
});

describe('what can be spent now', () => {
  it('is nothing for an account without credits', () => {
    expect(creditsAt(null, START)).toBeNull();
    expect(creditsAt({ currentPeriodEnd: null }, START)).toBeNull();
  });

  it('has the period of the instant, less what is held', () => {
    const record = aRecord([aPool('free', { every: 'day', left: 1 })], {
      creditHolds: [{ credits: 4, expiresAt: START + 2 * DAY }],
    });
    expect(creditsAt(record, START)).toEqual({ allowance: 0, packs: 0 });
    expect(creditsAt(record, START + DAY)).toEqual({ allowance: 6, packs: 0 });
    expect(creditsAt(record, START + 2 * DAY)).toEqual({ allowance: 10, packs: 0 });
  });

  it('is what spending takes, and what is left adds up, whatever there is', () => {
    const anyPool = fc.record({
      kind: fc.constantFrom<Pool['kind']>('allowance', 'pack'),
      every: fc.constantFrom<Pool['every']>('month', 'day', '5h', 'once'),
      until: fc.option(fc.integer({ min: 1, max: 60 }).map((days) => START + days * DAY)),
      left: fc.nat(10),
      rollover: fc.nat(5),
      limits: fc.array(
        fc.record({ amount: fc.nat(8), every: fc.constantFrom('day' as const, '2h' as const) }),
        {
          maxLength: 2,
        },
      ),
      isNew: fc.boolean(),
    });
    const anyAccount = fc.record({
      pools: fc.array(anyPool, { maxLength: 4 }),
      allowance: fc.nat(40),
      packs: fc.nat(40),
      held: fc.nat(10),
      spend: fc.nat(60),
      later: fc.nat(70 * DAY),
    });
    fc.assert(
      fc.property(anyAccount, ({ pools, allowance, packs, held, spend, later }) => {
        const allowances = pools.map(({ isNew, ...pool }, index) =>
          aPool(`pool_${index}`, { ...pool, ...(isNew && { left: 0, period: NOT_BEGUN }) }),
        );
        const now = START + later;
        const record = { creditsAllowance: allowance, packCreditsRemaining: packs, currentPeriodEnd: null };
        const credits = advanceCredits(owned({ ...record, allowances }), now);
        const hold = [{ credits: held, expiresAt: now + 1 }];
        const before = availableOf(credits, [], now);
        const after = spendCredits(credits, spend, now);
        const can = before.allowance + before.packs;
        const taken = Math.min(spend, can);
        const total = (of: OwnedCredits) => of.balances.allowance + of.balances.packs;
        expect(total(credits) - total(after)).toBe(taken);
        const rest = availableOf(after, [], now);
        expect(rest.allowance + rest.packs).toBe(can - taken);
        const beside = besidePools(after);
        expect(
          Math.min(beside.allowance, beside.packs, ...after.pools.map(({ left }) => left)),
        ).toBeGreaterThanOrEqual(0);
        const free = availableOf(credits, hold, now);
        expect(free.allowance + free.packs).toBe(Math.max(0, can - held));
        expect(advanceCredits(after, now)).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });
});
