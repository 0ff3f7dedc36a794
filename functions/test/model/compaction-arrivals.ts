import fc from 'fast-check';
import { type CreditArrival, creditArrivals, LIFETIMES, measuredEnd } from './credit-arrivals.ts';
import { FEATURES, MEASURED } from './features.ts';

// A ledger that is compacted while much time passes: requests that come again, before and after, on few keys.

const DAY = 86_400_000;

export interface CompactionPlan {
  readonly consumes: readonly { readonly place: number; readonly key: number; readonly feature: number }[];
  readonly reserves: Parameters<typeof creditArrivals>[1]['reserves'];
  readonly measured: Parameters<typeof creditArrivals>[1]['measured'];
  readonly compactions: readonly {
    readonly place: number;
    /** Days that pass before it. */
    readonly days: number;
    readonly atOnce: number;
  }[];
}

const place = fc.nat(1000);
const end = fc.record({
  after: fc.integer({ min: -50, max: 900 }),
  as: fc.constantFrom('confirm' as const, 'confirm' as const, 'release' as const),
  by: fc.constantFrom('user' as const, 'user' as const, 'service' as const),
});
/** Half of them are held for longer than a ledger keeps an entry. */
const lifetime = fc.constantFrom(0, 2, LIFETIMES.length - 1, LIFETIMES.length - 1);

export const anyCompaction: fc.Arbitrary<CompactionPlan> = fc.record({
  consumes: fc.array(fc.record({ place, key: fc.nat(2), feature: fc.nat(FEATURES.length - 1) }), {
    minLength: 3,
    maxLength: 14,
    size: 'max',
  }),
  reserves: fc.array(
    fc.record({
      ...{ place, key: fc.nat(1), feature: fc.nat(FEATURES.length - 1), lifetime },
      ends: fc.array(end, { maxLength: 3, size: 'max' }),
    }),
    { maxLength: 5, size: 'max' },
  ),
  measured: fc.array(
    fc.record({
      ...{ place, key: fc.nat(1), amount: fc.integer({ min: 1, max: MEASURED.price.hold }), lifetime },
      ends: fc.array(measuredEnd, { maxLength: 2, size: 'max' }),
    }),
    { maxLength: 2, size: 'max' },
  ),
  compactions: fc.array(
    // Months in which nothing happens, and times within what is promised of keys.
    fc.record({ place, days: fc.constantFrom(0, 6, 20, 36, 45, 70, 120), atOnce: fc.constantFrom(1, 1, 2) }),
    { minLength: 1, maxLength: 4, size: 'max' },
  ),
});

/** The arrivals of a plan, each with its place from 0 to 1. */
export function compactionArrivals(
  uid: string,
  { compactions, ...credits }: CompactionPlan,
): { readonly place: number; readonly item: CreditArrival }[] {
  return [
    ...creditArrivals(uid, { ...credits, ticks: [] }),
    ...compactions.flatMap(({ place, days, atOnce }) => [
      { place: place / 1000, item: { kind: 'tick' as const, ms: days * DAY } },
      { place: place / 1000, item: { kind: 'compact' as const, atOnce } },
    ]),
  ];
}
