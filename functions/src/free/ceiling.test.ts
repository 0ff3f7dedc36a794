import { DAY } from '@extension-billing/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptLog } from '../../test/app/serve-app.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { blockOf, FreeCeiling } from './ceiling.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

function instances(count: number) {
  const database = new MemoryFirestore();
  const log = keptLog();
  return {
    database,
    log,
    all: Array.from({ length: count }, () => new FreeCeiling(database.connect(), log)),
  };
}

/** As a spend does: of what is leased already, or of what can be leased. */
async function spend(instance: FreeCeiling, credits: number, ceiling: number, now: number): Promise<boolean> {
  if (instance.take(credits, ceiling, now)) return true;
  await instance.atLeast(credits, ceiling, now);
  return instance.take(credits, ceiling, now);
}

describe('the ceiling of a day', () => {
  it('is never passed, whoever asks when and whatever is given back or lost', async () => {
    const step = fc.record({
      instance: fc.nat(3),
      credits: fc.integer({ min: 1, max: 7 }),
      hours: fc.nat(9),
      outcome: fc.constantFrom('keep', 'give back', 'die', 'keep', 'keep'),
      isTogether: fc.boolean(),
    });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.array(step, { maxLength: 40 }),
      async (ceiling, steps) => {
        const { database, log, all } = instances(4);
        const spent = new Map<string, number>();
        let now = NOON;
        let under: Promise<void>[] = [];
        for (const { instance, credits, hours, outcome, isTogether } of steps) {
          if (!isTogether) {
            await Promise.all(under);
            under = [];
            now += hours * 3_600_000;
          }
          const at = now;
          const day = new Date(at).toISOString().slice(0, 10);
          under.push(
            (async () => {
              const asked = all[instance];
              if (asked === undefined || !(await spend(asked, credits, ceiling, at))) return;
              if (outcome === 'give back') asked.giveBack(credits, ceiling, at);
              else spent.set(day, (spent.get(day) ?? 0) + credits);
              if (outcome === 'die') all[instance] = new FreeCeiling(database.connect(), log);
            })(),
          );
        }
        await Promise.all(under);
        for (const credits of spent.values()) expect(credits).toBeLessThanOrEqual(ceiling);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  it('is used up to the last credit by one instance', async () => {
    const { all } = instances(1);
    const [one] = all;
    if (one === undefined) throw new Error('none');
    for (let spent = 0; spent < 137; spent += 1) expect(await spend(one, 1, 137, NOON)).toBe(true);
    expect(await spend(one, 1, 137, NOON)).toBe(false);
    expect(await spend(one, 1, 137, NOON + DAY), 'and is whole again the next day').toBe(true);
  });

  it('is told to the owner once by each instance and day, and costs no call afterwards', async () => {
    const { database, log, all } = instances(1);
    const [one] = all;
    if (one === undefined) throw new Error('none');
    await spend(one, 3, 3, NOON);
    let calls = 0;
    await spend(one, 1, 3, NOON);
    const before = async (): Promise<void> => {
      calls += 1;
    };
    database.around = { before, after: async () => {} };
    for (let again = 0; again < 5; again += 1) expect(await spend(one, 1, 3, NOON)).toBe(false);
    expect(calls).toBe(0);
    expect(log.lines).toEqual([
      { severity: 'error', event: 'free_ceiling_reached', fields: { day: '2026-11-21', ceiling: 3 } },
    ]);
    await spend(one, 3, 3, NOON + DAY);
    await spend(one, 1, 3, NOON + DAY);
    expect(log.lines).toHaveLength(2);
  });

  it('that is raised holds at once', async () => {
    const { all } = instances(1);
    const [one] = all;
    if (one === undefined) throw new Error('none');
    expect(await spend(one, 3, 2, NOON)).toBe(false);
    expect(await spend(one, 3, 50, NOON)).toBe(true);
  });

  it('costs a call for many spends, and an instance that ends takes little with it', async () => {
    const { database, all } = instances(1);
    const [one] = all;
    if (one === undefined) throw new Error('none');
    let commits = 0;
    const before = async (call: string): Promise<void> => {
      if (call === 'commit') commits += 1;
    };
    database.around = { before, after: async () => {} };
    for (let spent = 0; spent < 1_000; spent += 1) await spend(one, 1, 100_000, NOON);
    expect(commits).toBe(1);
    for (const rest of [1, 19, 20, 1_000, 100_000]) expect(blockOf(rest, 1)).toBe(Math.ceil(rest / 20));
  });
});
