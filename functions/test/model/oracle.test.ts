import { PLAN } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action } from './action.ts';
import { anyHistory } from './any-history.ts';
import { MODEL_PACKS, MODEL_PLANS } from './catalog.ts';
import { Oracle } from './oracle.ts';
import { playHistory } from './play-history.ts';

const { small, large } = MODEL_PACKS;
const monthly = MODEL_PLANS[PLAN.metered].monthlyCredits;

/** An oracle that was told everything that these actions did, in the provider's own order. */
function after(...actions: readonly (Action | { readonly consume: number })[]): Oracle {
  const oracle = new Oracle();
  const played: Action[] = [];
  let told = 0;
  for (const [index, action] of actions.entries()) {
    if ('consume' in action) {
      oracle.consume(`key${index}`, action.consume);
      continue;
    }
    played.push(action);
    const { changes } = playHistory(
      'ada',
      played.map((one) => ({ gap: DAY, action: one })),
    );
    for (const { seq, telling, event } of changes.slice(told)) oracle.tell(seq, telling, event.created);
    told = changes.length;
  }
  return oracle;
}

const buySmall: Action = { do: 'buy_pack', pack: 'small', pay: 'card' };
const buyLarge: Action = { do: 'buy_pack', pack: 'large', pay: 'card' };
const subscribe: Action = { do: 'subscribe', plan: PLAN.metered, start: 'paid' };
const renew: Action = { do: 'renew', of: 0, invoiceDelay: 0 };
const refundAll: Action = { do: 'refund', of: 0, percent: 100 };

describe('the oracle', () => {
  it('adds packs up, and spends the allowance before them', () => {
    const oracle = after(subscribe, buySmall, { consume: monthly + 3 });
    expect(oracle.expected().credits).toEqual({ allowance: 0, packs: small.credits - 3 });
  });

  it('replaces the allowance at a renewal and stacks nothing', () => {
    expect(after(subscribe, { consume: 5 }, renew).expected().credits).toEqual({
      allowance: monthly,
      packs: 0,
    });
  });

  it('drops the allowance with the subscription and keeps the packs', () => {
    const { credits, paid, status } = after(subscribe, buySmall, { do: 'end_now', of: 0 }).expected();
    expect({ credits, paid, status }).toEqual({
      credits: { allowance: 0, packs: small.credits },
      paid: false,
      status: 'canceled',
    });
  });

  it('claws back in proportion, and what was spent is gone', () => {
    const half: Action = { do: 'refund', of: 0, percent: 50 };
    expect(after(buySmall, half).expected().credits?.packs).toBe(
      small.credits - Math.floor((small.credits * Math.floor(small.amount / 2)) / small.amount),
    );
    expect(after(buySmall, { consume: 8 }, refundAll).expected().credits?.packs).toBe(0);
  });

  it('lets the packs that are there pay for a spent pack that is refunded, and no later one', () => {
    const there = after(buySmall, { consume: small.credits }, buyLarge, refundAll);
    expect(there.expected().credits?.packs).toBe(large.credits - small.credits);
    const later = after(buySmall, { consume: small.credits }, refundAll, buyLarge);
    expect(later.expected().credits?.packs).toBe(large.credits);
  });

  it('takes a dispute for a full refund, and gives back what a won one took', () => {
    const dispute: Action = { do: 'dispute', of: 0 };
    expect(after(buySmall, dispute).expected().credits?.packs).toBe(0);
    const won: Action = { do: 'close_dispute', of: 0, won: true };
    expect(after(buySmall, { consume: 2 }, dispute, won).expected().credits?.packs).toBe(small.credits - 2);
  });

  it('refuses what the balance does not cover, and answers a key as it did before', () => {
    const oracle = after(buySmall);
    expect(oracle.consume('a', small.credits + 1).outcome).toBe('exhausted');
    expect(oracle.consume('b', 4).outcome).toBe('granted');
    expect(oracle.consume('b', 4).outcome).toBe('granted');
    expect(oracle.expected().credits?.packs).toBe(small.credits - 4);
  });
});

describe('the histories', () => {
  it('hold every kind of event that the service reads, many within one second of the one before', () => {
    const types = new Map<string, number>();
    let ties = 0;
    let changes = 0;
    for (const history of fc.sample(anyHistory(), { numRuns: 600, seed: 4 })) {
      let last = -1;
      for (const { event } of playHistory('ada', history).changes) {
        types.set(event.type, (types.get(event.type) ?? 0) + 1);
        if (event.created === last) ties += 1;
        last = event.created;
        changes += 1;
      }
    }
    for (const type of EVERY_TYPE) expect(types.get(type), type).toBeGreaterThan(2);
    expect(ties / changes).toBeGreaterThan(0.2);
  });
});

const EVERY_TYPE = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'charge.refunded',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
  'customer.deleted',
];
