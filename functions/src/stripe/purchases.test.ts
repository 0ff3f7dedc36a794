import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { clawedOf, isFullyRefunded, mergePurchase, type Purchase } from '../events/facts.ts';
import { disputeOn, translateDispute } from './purchases.ts';

/** A pack of 100 credits for $5 after these statuses of one dispute, as its events told them. */
function packAfter(statuses: readonly string[], disputed: unknown = 500): Purchase {
  const charge = { kind: 'purchase', uid: 'ada', customer: null, amount: 500 } as const;
  const seller = { project: null, catalog: testCatalog };
  const paid = { kind: 'purchase_paid', purchase: 'pi_1', product: 'pack', credits: 100 } as const;
  let pack = mergePurchase(undefined, { ...paid, lookupKey: null, at: 1 }, 1);
  for (const [index, status] of statuses.entries()) {
    const object = { id: 'dp_1', charge: 'ch_1', payment_intent: 'pi_1', amount: disputed, status };
    const told = translateDispute(object as unknown as Stripe.Dispute, 2 + index, seller);
    const fact = told === null ? null : disputeOn(told.fact, charge);
    if (fact?.kind === 'dispute_seen') pack = mergePurchase(pack, fact, 2 + index);
  }
  return pack;
}

it.each([
  [['warning_needs_response', 'warning_under_review', 'warning_closed'], 0],
  [['warning_needs_response', 'needs_response'], 100],
  [['warning_needs_response', 'needs_response', 'under_review', 'won'], 0],
  [['needs_response', 'under_review', 'lost'], 100],
  [['needs_response', 'lost', 'appeal_under_review', 'won'], 0],
  [['prevented'], 100],
  [['a_status_of_tomorrow'], 0],
])('a dispute that was %j has taken %i of 100 credits, in any order of its events', (statuses, taken) => {
  expect(clawedOf(packAfter(statuses))).toBe(taken);
  expect(clawedOf(packAfter([...statuses].reverse()))).toBe(taken);
});

it.each([
  [200, 40, false],
  [500, 100, true],
  [9000, 100, true],
  [0, 0, false],
  [undefined, 100, true],
  [-3, 100, true],
  ['500', 100, true],
])(
  'a dispute about %j of 500 takes %i of 100 credits; the whole purchase: %s',
  (disputed, taken, isWhole) => {
    const pack = packAfter(['needs_response'], disputed);
    expect(clawedOf(pack)).toBe(taken);
    expect(isFullyRefunded(pack)).toBe(isWhole);
  },
);

it('a refund of one part and a dispute of another take both', () => {
  const refund = { kind: 'charge_refunded', purchase: 'pi_1', charge: 'ch_1', product: 'pack' } as const;
  const half = mergePurchase(packAfter(['lost'], 200), { ...refund, amount: 500, refunded: 250, at: 9 }, 9);
  expect(clawedOf(half)).toBe(90);
  expect(isFullyRefunded(half)).toBe(false);
});
