import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEASES, simulateContention } from './contention.ts';
import { daysOfCalls, projected, tableOfGrowth } from './growth.ts';
import { minutesOfRamp } from './limits.ts';
import { firstToBreak } from './load.ts';
import { simulateRouting } from './routing.ts';
import { CONTENTION, readPlayed, rounded, scalePage } from './scale-page.ts';

it('docs/scale.md is what was counted and played makes: node tools/scale.ts', () => {
  expect(readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8')).toBe(scalePage());
});

it('what was played is what the simulation plays', () => {
  const { contention } = readPlayed();
  expect(contention.map(({ instances, perSecond }) => [instances, perSecond])).toEqual(
    CONTENTION.map(({ instances, perSecond }) => [instances, perSecond]),
  );
  const isSlow = ({ perSecond }: { readonly perSecond: number | null }) => (perSecond ?? 0) <= 20;
  const some = contention.filter(isSlow);
  const again = CONTENTION.filter(isSlow);
  expect(again.map((one) => ({ ...one, ...rounded(simulateContention(one)) }))).toEqual(some);
});

describe('consumes at instances of chance', () => {
  const play = (instances: number, isCarried: boolean) =>
    simulateRouting({ instances, perSecond: 20, consumes: 2_000, isCarried });

  it('are looked up once a session where the client carries the version', () => {
    const { calls, known, stale } = play(4, true);
    expect(known).toBeGreaterThan(0.85);
    expect(calls).toBeLessThan(1.2);
    expect(stale).toBeLessThan(0.01);
  });

  it('cost more calls on more instances where nobody carries it', () => {
    expect(play(1, false).calls).toBeLessThan(1.3);
    expect(play(4, false).calls).toBeGreaterThan(1.5);
    expect(play(4, false).stale).toBeGreaterThan(0.1);
  });
});

describe('one record that several write', () => {
  const play = (instances: number, perSecond: number) =>
    simulateContention({ instances, perSecond, seconds: 20, roundTripMs: 10 });

  it('is written without a conflict by one instance, in groups where many wait', () => {
    expect(play(1, 10)).toMatchObject({ failed: 0, attempts: 1 });
    const busy = play(1, 1_000);
    expect(busy).toMatchObject({ failed: 0, attempts: 1 });
    expect(busy.writes).toBeLessThan(110);
    expect(busy.answered).toBeGreaterThan(19_000);
  });

  it('takes more commits for each that succeeds as instances are added, and refuses some at last', () => {
    const [one, four, many] = [1, 4, 28].map((instances) => play(instances, 100));
    expect(one?.attempts).toBe(1);
    expect(four?.attempts).toBeGreaterThan(1.3);
    expect(many?.attempts).toBeGreaterThan(four?.attempts ?? 0);
    expect(many?.failed).toBeGreaterThan(0);
    expect(many?.p99).toBeGreaterThan(five(one?.p99));
  });

  it('has one lease of the day for each instance, though all come at once', () => {
    const atOnce = { instances: 28, perSecond: null, seconds: 1, roundTripMs: 10 };
    const { answered, failed, writes, attempts } = simulateContention(atOnce, LEASES);
    expect([answered + failed, writes]).toEqual([28, answered]);
    expect(attempts).toBeGreaterThan(2);
  });

  it('answers or refuses everyone who came', () => {
    const few = play(4, 5);
    expect(few.answered + few.failed).toBeGreaterThan(60);
    expect(play(4, 5)).toEqual(few);
  });
});

const five = (value = 0): number => 5 * value;

describe('what breaks first', () => {
  const part = (what: string, demand: number) => ({ what, demand, limit: 100, unit: 'a second' });

  it('is what is asked most for, of what it allows', () => {
    const parts = [part('instances', 120), part('the job', 300), part('Firestore at once', 900)];
    expect(firstToBreak({ parts }, false)?.what).toBe('the job');
    expect(firstToBreak({ parts }, true)?.what).toBe('Firestore at once');
  });

  it('is nothing where all is far from its end', () => {
    expect(firstToBreak({ parts: [part('instances', 20)] }, true)).toBeNull();
  });
});

it('a database comes from nothing to full by half as much again each five minutes', () => {
  expect([400, 500, 600, 1_125, 200_000].map(minutesOfRamp)).toEqual([0, 0, 5, 10, 75]);
});

describe('what grows with the customers', () => {
  const row = { 1000: { seconds: 3, mebibytes: 200, reads: 1_400 }, 10000: { seconds: 36, mebibytes: 210 } };

  it('is projected by each figure’s largest size that was measured, but for memory', () => {
    expect(projected(row)).toEqual({ seconds: 36_000, reads: 14_000_000 });
  });

  it('is shown by size, with a dash where nobody measured', () => {
    const [, , ...lines] = tableOfGrowth({ 'a job': row, another: { 1000: { reads: 7 } } }).split('\n');
    expect(lines).toEqual([
      '| a job | 3 s, 200 MiB, 1,400 reads | 36 s, 210 MiB | 10 h, 14,000,000 reads |',
      '| another | 7 reads | – | 70,000 reads |',
    ]);
  });

  it('asks the provider for 25 minutes of each hour', () => {
    expect(daysOfCalls(20 * 60 * 25 * 24)).toBe(1);
  });
});
