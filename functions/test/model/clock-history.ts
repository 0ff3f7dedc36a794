import type { Pool } from '@extension-billing/contract/schedule';
import { DAY, HOUR, SECOND } from '@extension-billing/contract/time';
import fc from 'fast-check';

/** Terms of a pool, as a catalogue or a purchase may have them. */
export type PoolTerms = Omit<Pool, 'left' | 'period' | 'used'>;

/** What happens to one account's credits while time passes. `of` picks one of the pools that there are. */
export type ClockAction =
  | { readonly do: 'pass'; readonly ms: number }
  | (Asked & { readonly do: 'consume' })
  | (Asked & { readonly do: 'reserve'; readonly lifetime: number })
  | (Sent & {
      readonly do: 'settle';
      readonly key: number;
      readonly as: 'confirm' | 'release' | 'settle';
      /** Of a settle, which a service sends: the credits that were used. */
      readonly used: number;
    })
  /** Consumes of one cost at the same moment, on all instances. */
  | { readonly do: 'crowd'; readonly count: number; readonly cost: number }
  /** An event brings a pool, with the anchor so far before or after now. */
  | { readonly do: 'open'; readonly terms: PoolTerms; readonly anchored: number }
  /** It is paid for longer: `until` moves on. */
  | { readonly do: 'extend'; readonly of: number; readonly days: number }
  | { readonly do: 'drop'; readonly of: number }
  /** An event changes what is beside the pools. */
  | { readonly do: 'grant'; readonly kind: Pool['kind']; readonly credits: number }
  /** Somebody writes the allowance past the service: less of it, or more. */
  | { readonly do: 'tamper'; readonly by: number };

interface Sent {
  /** Which instance gets it: each has a clock of its own. */
  readonly instance: number;
  /** The commit happens, and its answer is lost. */
  readonly lost: boolean;
}

interface Asked extends Sent {
  readonly key: number;
  readonly cost: number;
}

export interface ClockHistory {
  readonly start: number;
  /** What the account has from the start on, for good; null where accounts get nothing without paying. */
  readonly free: PoolTerms | null;
  readonly actions: readonly ClockAction[];
}

/** How far the instances' clocks are off; the last one is wrong by hours. */
export const CLOCKS_ARE_OFF = [0, 90 * SECOND, -90 * SECOND, 7 * HOUR] as const;

const every = fc.constantFrom<Exclude<Pool['every'], 'once'>>('month', 'month', 'week', 'day', '5h');
const limit = fc.tuple(fc.integer({ min: 1, max: 40 }), every).map(([amount, every]) => ({ amount, every }));
const limits = fc.array(limit, { maxLength: 2 });

/** Terms whose anchor and dates are moved to where they begin. */
const periodic = fc
  .record({
    amount: fc.integer({ min: 1, max: 60 }),
    every,
    from: fc.constantFrom(0, 0, 9 * DAY, -40 * DAY),
    until: fc.constantFrom(null, null, 3, 31, 90, 365),
    grace: fc.constantFrom(undefined, undefined, 2 * DAY),
    rollover: fc.constantFrom(undefined, undefined, 0, 15, 100),
    limits: fc.option(limits, { nil: undefined }),
  })
  .map((terms) => ({ ...terms, kind: 'allowance' as const }));
const expiring = fc.record({
  kind: fc.constant('pack' as const),
  amount: fc.integer({ min: 1, max: 60 }),
  every: fc.constant('once' as const),
  from: fc.constantFrom(0, 0, 2 * DAY),
  until: fc.constantFrom(1, 30, 90),
});

const terms = fc.oneof({ weight: 3, arbitrary: periodic }, { weight: 1, arbitrary: expiring }).map(
  ({ from, until, ...rest }): PoolTerms => ({
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Pick<
      PoolTerms,
      'kind' | 'amount' | 'every'
    >),
    source: '',
    anchor: 0,
    from,
    until: until === null ? null : until * DAY,
  }),
);

const sent = {
  instance: fc.nat(CLOCKS_ARE_OFF.length - 1),
  lost: fc.constantFrom(false, false, false, false, true),
};
const key = fc.nat(12);
const cost = fc.constantFrom(1, 1, 3, 7, 20, 45);

/** How far beyond what is held a settle may go, whatever the feature. */
export const OVERDRAW = 6;

/** By key: each is for the same as before when it comes again. Half a second off every sum of what passes. */
const RESERVES = [
  { cost: 1, lifetime: 3 * HOUR + 500 },
  { cost: 7, lifetime: 30 * HOUR + 500 },
  { cost: 20, lifetime: 3 * HOUR + 500 },
  { cost: 45, lifetime: 30 * HOUR + 500 },
] as const;

const action: fc.Arbitrary<ClockAction> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(
        ...[SECOND, HOUR, 5 * HOUR, DAY, DAY, 7 * DAY, 27 * DAY, 31 * DAY, 31 * DAY, 400 * DAY],
      ),
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant('consume' as const), key, cost, ...sent }) },
  {
    weight: 3,
    arbitrary: fc
      .record({ do: fc.constant('reserve' as const), key: fc.nat(RESERVES.length - 1), ...sent })
      .map((reserve) => ({ ...reserve, ...(RESERVES[reserve.key] ?? RESERVES[0]) })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        ...{ do: fc.constant('settle' as const), key: fc.nat(RESERVES.length - 1), ...sent },
        as: fc.constantFrom('confirm' as const, 'release' as const, 'settle' as const, 'settle' as const),
        part: fc.oneof(
          fc.nat(100).map((percent) => percent / 100),
          fc.constant(1),
        ),
        beyond: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: OVERDRAW + 1 })),
      })
      .map(({ part, beyond, ...settle }) => {
        const held = (RESERVES[settle.key] ?? RESERVES[0]).cost;
        return { ...settle, used: Math.floor(held * part) + beyond };
      }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('crowd' as const), count: fc.integer({ min: 2, max: 6 }), cost }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: fc.constant('open' as const), terms },
      anchored: fc.constantFrom(0, 0, 0, -100 * DAY, 12 * DAY),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('extend' as const),
      of: fc.nat(3),
      days: fc.constantFrom(31, 90),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), of: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant('grant' as const), credits: fc.nat(30) },
      kind: fc.constantFrom<Pool['kind']>('allowance', 'pack'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('tamper' as const), by: fc.integer({ min: -60, max: 20 }) }),
  },
);

/** Half a second off every period's beginning: a record's own clock runs ahead by a millisecond with each write. */
const start = fc
  .integer({ min: Date.UTC(2023, 0, 1) / DAY, max: Date.UTC(2029, 0, 1) / DAY })
  .chain((day) => fc.constantFrom(0, 10 * HOUR, DAY - HOUR).map((time) => day * DAY + time + 500));
/** The ends of months, where it is easy to be wrong. */
const monthEnd = fc
  .record({ year: fc.integer({ min: 2023, max: 2028 }), month: fc.nat(11), back: fc.nat(2) })
  .map(({ year, month, back }) => Date.UTC(year, month + 1, 0) - back * DAY + 500);

export const anyClockHistory: fc.Arbitrary<ClockHistory> = fc.record({
  start: fc.oneof(start, monthEnd),
  free: fc.option(periodic.map(({ grace: _, until: _until, from: _from, ...rest }) => rest).map(asFree), {
    freq: 2,
  }),
  actions: fc.array(action, { minLength: 1, maxLength: 24, size: 'max' }),
});

function asFree(given: object): PoolTerms {
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...(present as PoolTerms), source: 'given', anchor: 0, from: 0, until: null };
}
