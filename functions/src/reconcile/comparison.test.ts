import * as v from 'valibot';
import { expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog } from '../../test/app/serve-app.ts';
import type { Uid } from '../store/documents.ts';
import {
  ComparisonState,
  compareOn,
  NOT_BEGUN,
  PASS_NAMES,
  type PassKinds,
  type PassName,
  type Summary,
} from './comparison.ts';
import { Look } from './look.ts';
import type { PassPage, PassState } from './pass.ts';
import type { CheckDeps } from './user.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const DAY = 24 * HOUR;
const BEGUN = Date.UTC(2026, 10, 22, 3);

/** Passes whose pages take what a test says, a clock, and runs that each know only what the one before saved. */
function aComparison(
  pages: Partial<Record<PassName, (cursor: string | null, look: Look, pass: PassState) => PassPage>>,
) {
  const log = keptLog();
  const clock = { now: BEGUN };
  const gone: string[] = [];
  const deps = { config: aConfig(), log, now: () => clock.now } as unknown as CheckDeps;
  const empty = (): PassPage => ({ next: null, done: 0 });
  const kinds = Object.fromEntries(
    PASS_NAMES.map((name) => {
      const page = async (look: Look, pass: PassState) => {
        const { cursor } = pass;
        gone.push(`${name} ${cursor ?? 'first'}`);
        return (pages[name] ?? empty)(cursor, look, pass);
      };
      const every = name === 'events' ? 30 * MINUTE : DAY - 30 * MINUTE;
      return [name, { every, page }];
    }),
  ) as unknown as PassKinds;
  let stored = JSON.stringify(NOT_BEGUN);
  const run = (within = Number.POSITIVE_INFINITY): Promise<Summary> => {
    const begun = clock.now;
    const look = new Look(deps, { apply: true, undeliveredOnly: false, onDifferent: () => {} });
    const place = {
      state: v.parse(ComparisonState, JSON.parse(stored)),
      save: async (state: ComparisonState) => {
        stored = JSON.stringify(state);
      },
    };
    return compareOn(look, place, { mayGoOn: () => clock.now - begun < within }, kinds);
  };
  const state = (): ComparisonState => JSON.parse(stored);
  return { log, clock, gone, run, state };
}

it('sees each of 100,000 customers at 20 calls a second within two days, in pieces of 25 minutes an hour', async () => {
  const seen = new Set<number>();
  const comparison = aComparison({
    customers: (cursor) => {
      const first = cursor === null ? 0 : Number(cursor);
      // Five calls for each of twenty.
      comparison.clock.now += (20 * 5 * 1000) / 20;
      for (let user = first; user < first + 20; user += 1) seen.add(user);
      return { next: first + 20 < 100_000 ? String(first + 20) : null, done: 20 };
    },
  });
  const { clock, run, state } = comparison;
  let runs = 0;
  do {
    clock.now = BEGUN + runs * HOUR;
    const { finished, behindHours } = await run(25 * MINUTE);
    expect(clock.now - BEGUN - runs * HOUR).toBeLessThan(26 * MINUTE);
    expect(finished).toBe(!state().customers.isOpen);
    expect(behindHours).toBe(finished ? 0 : runs);
    runs += 1;
  } while (state().customers.isOpen);
  expect(seen.size).toBe(100_000);
  expect(runs).toBe(17);
});

it('goes on where it ended, and begins a pass again when it is due', async () => {
  let isSlow = true;
  const comparison = aComparison({
    facts: (cursor) => {
      if (isSlow) comparison.clock.now += 10 * MINUTE;
      return { next: cursor === null ? 'ada' : cursor === 'ada' ? 'bob' : null, done: 100 };
    },
  });
  const { clock, gone, run, state } = comparison;
  expect(await run(20 * MINUTE)).toMatchObject({ finished: false, seen: { facts: 200 } });
  isSlow = false;
  expect(await run()).toMatchObject({ finished: true, seen: { facts: 100, customers: 0 } });
  expect(gone.filter((page) => page.startsWith('facts'))).toEqual(['facts first', 'facts ada', 'facts bob']);
  expect(state().facts).toMatchObject({ begunAt: BEGUN, isOpen: false, done: 300, failed: 0 });
  gone.length = 0;
  clock.now = BEGUN + 2 * HOUR;
  await run();
  expect(gone).toEqual(['events first']);
  clock.now = BEGUN + DAY;
  await run();
  expect(gone.slice(1)).toEqual([
    ...['events first', 'subscriptions first', 'facts first', 'facts ada', 'facts bob'],
    ...['grants first', 'records first', 'customers first'],
  ]);
});

it('a page that fails, or finds nobody there, is gone through by the next run, and the others go on', async () => {
  let isThere = false;
  const { log, gone, run, state } = aComparison({
    subscriptions: () => {
      if (!isThere) throw new Error('a list that is no list');
      return { next: null, done: 1 };
    },
    customers: () => (isThere ? { next: null, done: 1 } : 'away'),
  });
  expect(await run()).toMatchObject({ finished: false, failed: 1 });
  expect(log.lines.map(({ event }) => event)).toEqual(['reconcile_failed']);
  expect(gone).toContain('records first');
  isThere = true;
  gone.length = 0;
  expect(await run()).toMatchObject({ finished: true, failed: 0, behindHours: 0 });
  expect(gone).toEqual(['subscriptions first', 'customers first']);
  expect(state().subscriptions.isOpen).toBe(false);
});

it('knows when the last pass began in which nothing failed', async () => {
  let isRight = true;
  const { clock, run, state } = aComparison({
    facts: (_, look) => {
      if (!isRight) look.fail(new Error('one user of the page'));
      return { next: null, done: 100 };
    },
  });
  const sinceOn = async (day: number, isClean: boolean) => {
    isRight = isClean;
    clock.now = BEGUN + day * DAY;
    await run();
    return state().facts.since;
  };
  expect(await sinceOn(0, true)).toBe(0);
  expect(await sinceOn(1, false)).toBe(BEGUN);
  expect(await sinceOn(2, true)).toBe(BEGUN);
  expect(await sinceOn(3, true)).toBe(BEGUN + 2 * DAY);
});

it('goes back for what fails each time once a day, and each hour for a day alone', async () => {
  const sinces: number[] = [];
  let isRight = true;
  const { clock, run } = aComparison({
    events: (_, look, { since }) => {
      sinces.push(since);
      // One event that nothing can apply, and that is gone back for.
      if (!isRight && since <= BEGUN + HOUR) look.fail(new Error('an event'));
      return { next: null, done: 1 };
    },
  });
  const hourly = async (from: number, to: number) => {
    sinces.length = 0;
    for (let hour = from; hour < to; hour += 1) {
      clock.now = BEGUN + hour * HOUR;
      await run();
    }
    return sinces.map((since, index) => from + index - (since - BEGUN) / HOUR);
  };
  await hourly(0, 2);
  isRight = false;
  const first = await hourly(2, 26);
  expect(first[0], 'since the last one').toBe(1);
  expect(Math.max(...first.slice(1)), 'back to it').toBeGreaterThan(20);
  const later = await hourly(26, 26 + 72);
  expect(later.filter((hours) => hours > 25)).toHaveLength(3);
  expect(later.filter((hours) => hours === 1)).toHaveLength(69);
  isRight = true;
  const mended = await hourly(98, 98 + 48);
  expect(mended.filter((hours) => hours > 25)).toHaveLength(1);
});

it('begins no look at a user once the time is over, and puts the page off without a failure', async () => {
  const clock = { now: BEGUN };
  // Without a store each look fails, here after a minute.
  const deps = {
    config: aConfig(),
    log: keptLog(),
    now: () => (clock.now += MINUTE),
  } as unknown as CheckDeps;
  const until = BEGUN + 2.5 * MINUTE;
  const look = new Look(deps, { apply: true, undeliveredOnly: false, onDifferent: () => {}, until });
  const users = Array.from({ length: 100 }, (_, n) => `user-${n}` as Uid);
  expect(await look.at(users)).toBe('away');
  expect(look.tally.failed).toBe(2);
});
