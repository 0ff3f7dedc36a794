import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../stripe/facts.ts';
import { entitlementOf } from './entitlement.ts';
import { type Facts, type ImportedRecord, NO_FACTS, reduce } from './facts.ts';

const NOW = 1_000_000;

function after(known: Facts, ...facts: readonly Fact[]): Facts {
  return facts.reduce<Facts>((before, fact) => {
    const reduced = reduce(before, fact, null);
    if (reduced.kind === 'undecidable') throw new Error('these facts have an order');
    return reduced.facts;
  }, known);
}
const rights = (...facts: readonly Fact[]) => entitlementOf(after(NO_FACTS, ...facts), NOW, testCatalog);

const bought = (lookupKey: string | null, at: number): Fact => ({
  kind: 'purchase_paid',
  purchase: `pi_${lookupKey}`,
  product: 'lifetime',
  credits: 0,
  lookupKey,
  at,
});
const refunded = (lookupKey: string, at: number): Fact => ({
  kind: 'charge_refunded',
  purchase: `pi_${lookupKey}`,
  charge: `ch_${lookupKey}`,
  product: 'lifetime',
  amount: 100,
  refunded: 100,
  at,
});

describe('what is billed next', () => {
  const renewal = { amount: 1900, currency: 'usd', interval: 'month' } as const;
  const STATE = {
    status: 'active',
    cancel: false,
    lookupKey: PLAN.monthly,
    periodEnd: NOW + 1,
    trialed: false,
    tagged: true,
    renewal,
  };
  const seen = (over: object = {}): Fact => ({
    kind: 'subscription_seen',
    subscription: 'sub_1',
    state: { ...STATE, ...over },
    first: false,
    at: 1,
  });

  it('is what the shown subscription says', () => {
    expect(rights(seen())).toMatchObject({ renewal });
    expect(rights(seen({ status: 'trialing' }))).toMatchObject({ renewal });
  });

  it.each([
    ['is to end', { cancel: true }],
    ['is paused', { pause: { behavior: 'void', resumesAt: null } }],
    ['ended', { status: 'canceled' }],
    ['was never paid', { status: 'incomplete' }],
    ['does not say it', { renewal: null }],
    ['is known from before it was kept', { renewal: undefined }],
  ])('is not said of one that %s', (_why, over) => {
    expect(rights(seen(over))).not.toHaveProperty('renewal');
  });

  it('is not said beside a lifetime plan', () => {
    expect(rights(seen(), bought('gold_for_good', 1))).not.toHaveProperty('renewal');
  });
});

describe('a lifetime plan', () => {
  it('is shown by the key that was bought', () => {
    expect(rights(bought('gold_for_good', 1))).toMatchObject({
      paid: true,
      plan: 'gold_for_good',
      planKind: 'lifetime',
      status: 'active',
    });
  });

  it('is shown without one where its sale named none', () => {
    expect(rights(bought(null, 1))).toMatchObject({ paid: true, plan: null, planKind: 'lifetime' });
  });

  it('of two is the one that was bought last, whichever became known first, and the other after its refund', () => {
    const [silver, gold] = [bought('silver_for_good', 1), bought('gold_for_good', 2)];
    expect(rights(silver, gold).plan).toBe('gold_for_good');
    expect(rights(gold, silver).plan).toBe('gold_for_good');
    expect(rights(refunded('gold_for_good', 3), gold, silver)).toMatchObject({
      paid: true,
      plan: 'silver_for_good',
    });
    expect(rights(gold, silver, refunded('gold_for_good', 3), refunded('silver_for_good', 4)).paid).toBe(
      false,
    );
  });

  it('is owned by whoever brought one along, also from before records named the kind', () => {
    const imported: ImportedRecord = {
      paid: true,
      plan: PLAN.lifetime,
      status: 'active',
      cancelAtPeriodEnd: false,
      currentPeriodEnd: null,
      customerId: null,
      trialUsed: false,
    };
    const shown = (more: Partial<ImportedRecord>) =>
      entitlementOf({ ...NO_FACTS, imported: { ...imported, ...more } }, NOW, testCatalog);
    expect(shown({})).toMatchObject({ plan: PLAN.lifetime, planKind: 'lifetime' });
    expect(shown({ plan: 'gold', planKind: 'lifetime' })).toMatchObject({
      plan: 'gold',
      planKind: 'lifetime',
    });
    expect(shown({ plan: 'gold' })).toMatchObject({ plan: 'gold', planKind: 'subscription' });
  });
});
