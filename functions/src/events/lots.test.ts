import { DAY } from '@extension-billing/contract/time';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fact } from '../stripe/facts.ts';
import { type Facts, NO_FACTS, reduce } from './facts.ts';
import { drawFromLots, lotsOf, totalOfLots } from './lots.ts';

function after(...facts: readonly Fact[]): Facts {
  return facts.reduce<Facts>((known, fact) => {
    const reduced = reduce(known, fact, null);
    if (reduced.kind === 'undecidable') throw new Error('purchases are always decidable');
    return reduced.facts;
  }, NO_FACTS);
}

const bought = (purchase: string, credits: number, at: number): Fact => ({
  kind: 'purchase_paid',
  purchase,
  product: 'pack',
  credits,
  lookupKey: null,
  at,
});
const refunded = (purchase: string, share: number, at: number): Fact => ({
  kind: 'charge_refunded',
  purchase,
  charge: `ch_${purchase}`,
  product: 'pack',
  amount: 100,
  refunded: share,
  at,
});
const spentAll = (facts: Facts, credits: number) => drawFromLots(lotsOf(facts), {}, credits);
const total = (facts: Facts, spent = {}) => totalOfLots(lotsOf(facts), spent);

it('takes a refund from its own lot, then from those that were there', () => {
  const both = after(bought('a', 100, 0), bought('b', 500, DAY));
  const spent = spentAll(both, 50);
  const back = after(bought('a', 100, 0), bought('b', 500, DAY), refunded('a', 100, 2 * DAY));
  expect(total(back, spent)).toBe(450);
});

it('carries no debt to a lot bought later, whichever becomes known first', () => {
  const spent = spentAll(after(bought('a', 100, 0)), 80);
  const back = refunded('a', 100, DAY);
  const later = bought('b', 100, 2 * DAY);
  expect(total(after(bought('a', 100, 0), back), spent)).toBe(0);
  expect(total(after(bought('a', 100, 0), back, later), spent)).toBe(100);
  expect(total(after(bought('a', 100, 0), later, back), spent)).toBe(100);
});

it('tells what shares a second apart by its arrival', () => {
  const spent = spentAll(after(bought('a', 100, 0)), 80);
  expect(total(after(bought('a', 100, 0), refunded('a', 100, 0), bought('b', 100, 0)), spent)).toBe(100);
  expect(total(after(bought('a', 100, 0), bought('b', 100, 0), refunded('a', 100, 0)), spent)).toBe(20);
});

const histories = fc.array(
  fc.record({
    credits: fc.integer({ min: 1, max: 50 }),
    at: fc.integer({ min: 0, max: 10 }),
    back: fc.option(
      fc.record({ share: fc.integer({ min: 1, max: 100 }), after: fc.integer({ min: 0, max: 10 }) }),
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

it('a spend lowers the total by just what it is, and no order of arrival changes a total without spends', () => {
  fc.assert(
    fc.property(histories, fc.infiniteStream(fc.nat()), fc.nat(), (lots, order, spend) => {
      const facts = lots.flatMap(({ credits, at, back }, n): Fact[] => [
        bought(`p${n}`, credits, at * DAY),
        ...(back === null ? [] : [refunded(`p${n}`, back.share, (at + back.after) * DAY)]),
      ]);
      const known = after(...facts);
      const before = total(known);
      const shuffled = facts
        .map((fact) => ({ fact, place: Number(order.next().value) }))
        .sort((a, b) => a.place - b.place)
        .map(({ fact }) => fact);
      expect(total(after(...shuffled))).toBe(before);
      let spent = {};
      let left = before;
      while (left > 0) {
        const credits = Math.min(left, (spend % 7) + 1);
        spent = drawFromLots(lotsOf(known), spent, credits);
        left -= credits;
        expect(total(known, spent)).toBe(left);
      }
    }),
  );
});
