import fc from 'fast-check';
import type { Asker } from './credit-oracle.ts';
import { FEATURES, MEASURED, type Used } from './features.ts';

/** A request of the credits that reaches the service, or time that passes there. */
export type CreditArrival = ConsumeArrival | ReserveArrival | SettleArrival | TickArrival | AheadArrival;

export interface ConsumeArrival {
  readonly kind: 'consume';
  readonly key: string;
  readonly feature: string;
  readonly cost: number;
}

export interface ReserveArrival {
  readonly kind: 'reserve';
  readonly key: string;
  readonly feature: string;
  readonly cost: number;
  /** Milliseconds for which the credits are held. */
  readonly lifetime: number;
  /** A service names the cost. */
  readonly by: Asker;
}

export interface SettleArrival {
  readonly kind: 'settle';
  readonly reservation: string;
  /** Of the reservation. */
  readonly feature: string;
  readonly as: 'confirm' | 'release' | 'settle';
  readonly by: Asker;
  /** Of a settle. */
  readonly used?: Used;
}

/** The service's clock moves on. */
export interface TickArrival {
  readonly kind: 'tick';
  readonly ms: number;
}

/** An instance whose clock is so far ahead writes the record. */
export interface AheadArrival {
  readonly kind: 'ahead';
  readonly ms: number;
}

/** What one user's features ask for, as plain numbers; places are in thousandths of the journey. */
export interface CreditPlan {
  readonly consumes: readonly { readonly place: number; readonly key: number; readonly feature: number }[];
  readonly reserves: readonly {
    readonly place: number;
    readonly key: number;
    readonly feature: number;
    readonly lifetime: number;
    /** Tries to end it, some of them before it began. */
    readonly ends: readonly PlannedEnd[];
  }[];
  /** What a service holds and settles; some try to end it as the user. */
  readonly measured: readonly {
    readonly place: number;
    readonly key: number;
    readonly amount: number;
    readonly lifetime: number;
    readonly ends: readonly PlannedEnd[];
  }[];
  readonly ticks: readonly { readonly place: number; readonly ms: number }[];
  readonly aheads: readonly { readonly place: number; readonly ms: number }[];
}

type PlannedEnd = { readonly after: number } & Pick<SettleArrival, 'as' | 'by' | 'used'>;

/** Half a second off every sum of ticks: the record's own clock runs ahead by a millisecond with each write. */
const SHORT_LIFETIMES = [5_500, 60_500, 3_600_500] as const;
/** The last one is longer than a ledger has to keep an entry. */
export const LIFETIMES = [...SHORT_LIFETIMES, 50 * 86_400_000 + 500] as const;
/** The last one is longer than a refusal is kept, whatever an instance's clock says. */
const TICKS = [1_000, 10_000, 60_000, 600_000, 3_600_000, 8 * 86_400_000] as const;

/** A quarter of a second off every sum of ticks, and off every expiry. */
const AHEAD = [30_250, 600_250, 7_200_250] as const;

const place = fc.nat(1000);
const feature = fc.nat(FEATURES.length - 1);

const after = fc.integer({ min: -50, max: 500 });
const mostly = fc.constantFrom<Asker>('service', 'service', 'service', 'service', 'user');
/** From nothing to more than may be taken of the largest hold. */
const amount: fc.Arbitrary<Used> = fc.record({
  amount: fc.nat(MEASURED.price.hold + MEASURED.price.overdraw + 2),
});
const units: fc.Arbitrary<Used> = fc.record({ units: fc.record({ input: fc.nat(24), output: fc.nat(15) }) });
const settleOf = (used: fc.Arbitrary<Used>): fc.Arbitrary<PlannedEnd> =>
  fc.record({ after, as: fc.constant('settle'), by: mostly, used });
export const measuredEnd = fc.oneof(
  { weight: 5, arbitrary: settleOf(fc.oneof(amount, units)) },
  {
    weight: 1,
    arbitrary: fc.record({ after, as: fc.constantFrom('confirm' as const, 'release' as const), by: mostly }),
  },
);

export const anyCreditPlan: fc.Arbitrary<CreditPlan> = fc.record({
  consumes: fc.array(fc.record({ place, key: fc.nat(30), feature }), { maxLength: 14, size: 'max' }),
  reserves: fc.array(
    fc.record({
      place,
      key: fc.nat(3),
      feature,
      lifetime: fc.nat(SHORT_LIFETIMES.length - 1),
      ends: fc.array(
        fc.oneof(
          {
            weight: 6,
            arbitrary: fc.record({
              ...{ after, by: fc.constantFrom<Asker>('user', 'user', 'user', 'service') },
              as: fc.constantFrom('confirm', 'confirm', 'release'),
            }),
          },
          // Only what is measured has units.
          { weight: 1, arbitrary: settleOf(amount) },
        ),
        { maxLength: 3, size: 'max' },
      ),
    }),
    { maxLength: 5, size: 'max' },
  ),
  measured: fc.array(
    fc.record({
      ...{ place, key: fc.nat(2), amount: fc.integer({ min: 1, max: MEASURED.price.hold }) },
      lifetime: fc.nat(SHORT_LIFETIMES.length - 1),
      ends: fc.array(measuredEnd, { maxLength: 3, size: 'max' }),
    }),
    { maxLength: 3, size: 'max' },
  ),
  ticks: fc.array(fc.record({ place, ms: fc.constantFrom(...TICKS) }), { maxLength: 3, size: 'max' }),
  aheads: fc.array(fc.record({ place, ms: fc.constantFrom(...AHEAD) }), { maxLength: 2 }),
});

/** The arrivals of a plan, each with its place from 0 to 1. A key belongs to one feature and lifetime here. */
export function creditArrivals(
  uid: string,
  { consumes, reserves, measured, ticks, aheads }: CreditPlan,
): { readonly place: number; readonly item: CreditArrival }[] {
  return [
    ...consumes.map(({ place, key, feature }) => {
      const { name, cost } = FEATURES[feature % FEATURES.length] ?? FEATURES[0];
      const item = { kind: 'consume' as const, key: `${uid}-${name}-${key}`, feature: name, cost };
      return { place: place / 1000, item };
    }),
    ...reserves.flatMap(({ place, key, feature, lifetime, ends }) => {
      const { name, cost } = FEATURES[feature % FEATURES.length] ?? FEATURES[0];
      const ms = LIFETIMES[lifetime % LIFETIMES.length] ?? LIFETIMES[0];
      const reservation = `${uid}-${name}-${ms}-${key}`;
      return held({ reservation, feature: name, cost, lifetime: ms, by: 'user' }, place, ends);
    }),
    ...measured.flatMap(({ place, key, amount, lifetime, ends }) => {
      const ms = LIFETIMES[lifetime % LIFETIMES.length] ?? LIFETIMES[0];
      const reservation = `${uid}-${MEASURED.name}-${amount}-${ms}-${key}`;
      const asked = {
        reservation,
        feature: MEASURED.name,
        cost: amount,
        lifetime: ms,
        by: 'service',
      } as const;
      return held(asked, place, ends);
    }),
    ...ticks.map(({ place, ms }) => ({ place: place / 1000, item: { kind: 'tick' as const, ms } })),
    ...aheads.map(({ place, ms }) => ({ place: place / 1000, item: { kind: 'ahead' as const, ms } })),
  ];
}

/** A reserve and the tries to end it. */
function held(
  { reservation, ...asked }: Omit<ReserveArrival, 'kind' | 'key'> & Pick<SettleArrival, 'reservation'>,
  place: number,
  ends: readonly PlannedEnd[],
): { readonly place: number; readonly item: CreditArrival }[] {
  const { feature } = asked;
  return [
    { place: place / 1000, item: { kind: 'reserve', key: reservation, ...asked } },
    ...ends.map(({ after, ...end }) => ({
      place: (place + after) / 1000,
      item: { kind: 'settle' as const, reservation, feature, ...end },
    })),
  ];
}
