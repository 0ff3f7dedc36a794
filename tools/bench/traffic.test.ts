import { describe, expect, it } from 'vitest';
import { instanceFor, MIX, planTraffic } from './traffic.ts';

const rate = { count: 20_000, perSecond: 100, visitors: 50, seed: 1 };

describe('a plan of traffic', () => {
  it('has each kind by its share, of all visitors alike', () => {
    expect(Object.values(MIX).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
    const plan = planTraffic(MIX, rate);
    for (const [kind, share] of Object.entries(MIX)) {
      const part = plan.filter((planned) => planned.kind === kind).length / plan.length;
      expect(Math.abs(part - share)).toBeLessThan(0.01);
    }
    const asked = Array.from(
      { length: 50 },
      (_, who) => plan.filter((planned) => planned.who === who).length,
    );
    expect(Math.min(...asked)).toBeGreaterThan(300);
    expect(Math.max(...asked)).toBeLessThan(500);
  });

  it('is the same for every contender, and another with another seed', () => {
    expect(planTraffic(MIX, rate)).toEqual(planTraffic(MIX, rate));
    expect(planTraffic(MIX, { ...rate, seed: 2 })).not.toEqual(planTraffic(MIX, rate));
  });
});

describe('the instance that a request comes to', () => {
  const plan = planTraffic({ consume: 1 }, rate);

  it('is any of them at random, whoever asks', () => {
    const counts = [0, 1, 2, 3].map(
      (instance) => plan.filter((planned) => instanceFor(planned, 'random', 4) === instance).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan(4_700);
    const ofOne = plan.filter(({ who }) => who === 7).map((planned) => instanceFor(planned, 'random', 4));
    expect(new Set(ofOne).size).toBe(4);
  });

  it('is always the same for one visitor where they stay with it', () => {
    const ofOne = plan.filter(({ who }) => who === 7).map((planned) => instanceFor(planned, 'sticky', 4));
    expect(new Set(ofOne).size).toBe(1);
    expect(new Set(plan.map((planned) => instanceFor(planned, 'sticky', 4))).size).toBe(4);
  });
});
