import fc from 'fast-check';
import { FEATURES } from './features.ts';

/** A request of the credits that reaches the service, or time that passes there. */
export type CreditArrival = ConsumeArrival | ReserveArrival | SettleArrival | TickArrival;

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
}

export interface SettleArrival {
  readonly kind: 'settle';
  readonly reservation: string;
  readonly as: 'confirm' | 'release';
}

/** The service's clock moves on. */
export interface TickArrival {
  readonly kind: 'tick';
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
    readonly ends: readonly { readonly after: number; readonly as: SettleArrival['as'] }[];
  }[];
  readonly ticks: readonly { readonly place: number; readonly ms: number }[];
}

/** Half a second off every sum of ticks: the record's own clock runs ahead by a millisecond with each write. */
const LIFETIMES = [5_500, 60_500, 3_600_500] as const;
/** The last one is longer than a refusal is kept, whatever an instance's clock says. */
const TICKS = [1_000, 10_000, 60_000, 600_000, 3_600_000, 8 * 86_400_000] as const;

const place = fc.nat(1000);
const feature = fc.nat(FEATURES.length - 1);

export const anyCreditPlan: fc.Arbitrary<CreditPlan> = fc.record({
  consumes: fc.array(fc.record({ place, key: fc.nat(30), feature }), { maxLength: 14, size: 'max' }),
  reserves: fc.array(
    fc.record({
      place,
      key: fc.nat(3),
      feature,
      lifetime: fc.nat(LIFETIMES.length - 1),
      ends: fc.array(
        fc.record({
          after: fc.integer({ min: -50, max: 500 }),
          as: fc.constantFrom('confirm', 'confirm', 'release'),
        }),
        { maxLength: 3, size: 'max' },
      ),
    }),
    { maxLength: 5, size: 'max' },
  ),
  ticks: fc.array(fc.record({ place, ms: fc.constantFrom(...TICKS) }), { maxLength: 3, size: 'max' }),
});

/** The arrivals of a plan, each with its place from 0 to 1. A key belongs to one feature and lifetime here. */
export function creditArrivals(
  uid: string,
  { consumes, reserves, ticks }: CreditPlan,
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
      const reserve = { kind: 'reserve' as const, key: reservation, feature: name, cost, lifetime: ms };
      return [
        { place: place / 1000, item: reserve },
        ...ends.map(({ after, as }) => {
          return { place: (place + after) / 1000, item: { kind: 'settle' as const, reservation, as } };
        }),
      ];
    }),
    ...ticks.map(({ place, ms }) => ({ place: place / 1000, item: { kind: 'tick' as const, ms } })),
  ];
}
