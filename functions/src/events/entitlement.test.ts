import { defineCatalog } from '@extension-billing/contract';
import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import type { Fact, SubscriptionState } from '../stripe/facts.ts';
import { readSubscription } from '../stripe/subscriptions.ts';
import { besideLifetime, entitlementOf } from './entitlement.ts';
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

  it('is the same of two subscriptions that are alike, whichever became known first', () => {
    const one = seen();
    const other = { ...seen({ renewal: { ...renewal, amount: 3800 } }), subscription: 'sub_2' } as Fact;
    expect(rights(one, other)).toMatchObject({ renewal });
    expect(rights(other, one)).toMatchObject({ renewal });
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
      plan: LEGACY_LIFETIME_PLAN,
      status: 'active',
      cancelAtPeriodEnd: false,
      currentPeriodEnd: null,
      customerId: null,
      trialUsed: false,
    };
    const shown = (more: Partial<ImportedRecord>) =>
      entitlementOf({ ...NO_FACTS, imported: { ...imported, ...more } }, NOW, testCatalog);
    expect(shown({})).toMatchObject({ plan: LEGACY_LIFETIME_PLAN, planKind: 'lifetime' });
    expect(shown({ plan: 'gold', planKind: 'lifetime' })).toMatchObject({
      plan: 'gold',
      planKind: 'lifetime',
    });
    expect(shown({ plan: 'gold' })).toMatchObject({ plan: 'gold', planKind: 'subscription' });
  });
});

const plan = { amount: 100, currency: 'usd' } as const;
const tiers = defineCatalog({
  model: 'subscription',
  gate: 'paywall',
  trialDays: 0,
  entitlements: { team: {}, pro: { includes: ['basic'] }, basic: {} },
  plans: {
    basic_monthly: { ...plan, kind: 'subscription', interval: 'month', grants: ['basic'] },
    pro_monthly: { ...plan, kind: 'subscription', interval: 'month', grants: ['pro'] },
    basic_for_good: { ...plan, kind: 'lifetime', grants: ['basic'] },
    team_for_good: { ...plan, kind: 'lifetime', grants: ['team'] },
  },
  packs: {},
  features: {},
});
const tiered = (...facts: readonly Fact[]) => entitlementOf(after(NO_FACTS, ...facts), NOW, tiers);

const seen = (subscription: string, lookupKey: string, more: Partial<SubscriptionState> = {}): Fact => ({
  kind: 'subscription_seen',
  subscription,
  state: {
    ...{ status: 'active', cancel: false, periodEnd: 10 * DAY, periodStart: 0, trialed: false },
    lookupKey,
    ...more,
  },
  first: false,
  at: 1,
});

describe('a plan of quantity 0', () => {
  const seenWith = (...quantities: readonly number[]): Fact => {
    const items = quantities.map((quantity, index) => ({
      ...{ quantity, current_period_start: 1, current_period_end: NOW },
      price: { id: `price_${index}`, lookup_key: index === 0 ? PLAN.metered : PLAN.monthly, metadata: {} },
    }));
    const metadata = {
      price_id: 'price_0',
      lookup_key: PLAN.metered,
      monthly_credits: '1000',
      project: 'here',
    };
    const subscription = { id: 'sub_1', status: 'active', metadata, items: { data: items } };
    const seller = { project: 'here', catalog: testCatalog };
    const { state } = readSubscription(subscription as unknown as Stripe.Subscription, seller);
    return { kind: 'subscription_seen', subscription: 'sub_1', state, first: false, at: 1 };
  };

  it('entitles to nothing, brings no credits and is not shown', () => {
    const fact = seenWith(0);
    expect(rights(fact)).toMatchObject({ paid: false, plan: null, status: null });
    expect(fact).not.toHaveProperty('state.brings');
    expect(rights(seenWith(1))).toMatchObject({ paid: true, plan: PLAN.metered });
  });

  it('stands in the way of no other plan of the subscription', () => {
    expect(rights(seenWith(0, 1))).toMatchObject({ paid: true, plan: PLAN.monthly });
    expect(rights(seenWith(0, 0))).toMatchObject({ paid: false, plan: null });
  });
});

describe('entitlements', () => {
  it('are absent where the catalogue has none', () => {
    expect(rights(bought('gold_for_good', 1))).not.toHaveProperty('entitlements');
    expect(rights(bought('gold_for_good', 1))).not.toHaveProperty('entitlementsUntil');
  });

  it('are those of the plan with all that they include, for as long as it is believed', () => {
    expect(tiered(seen('sub_1', 'pro_monthly'))).toMatchObject({
      paid: true,
      entitlements: ['basic', 'pro'],
      entitlementsUntil: { basic: 17 * DAY, pro: 17 * DAY },
    });
    expect(tiered(seen('sub_1', 'pro_monthly', { status: 'unpaid' }))).not.toHaveProperty('entitlements');
  });

  it('are the union of all that is owned, each as long as the last that brings it', () => {
    const [life, pro, basic] = [
      bought('team_for_good', 1),
      seen('sub_1', 'pro_monthly'),
      seen('sub_2', 'basic_monthly', { periodEnd: 20 * DAY }),
    ];
    for (const order of [
      [life, pro, basic],
      [basic, pro, life],
    ]) {
      expect(tiered(...order)).toMatchObject({
        plan: 'team_for_good',
        entitledUntil: null,
        entitlements: ['basic', 'pro', 'team'],
        entitlementsUntil: { basic: 27 * DAY, pro: 17 * DAY },
      });
    }
    expect(tiered(life, pro, basic, bought('basic_for_good', 2)).entitlementsUntil).toEqual({
      pro: 17 * DAY,
    });
  });

  it('are what was sold, whatever the catalogue says since, and its word where the sale did not say', () => {
    const sold = seen('sub_1', 'basic_monthly', { entitlements: ['basic', 'old'] });
    expect(tiered(sold).entitlements).toEqual(['basic', 'old']);
    expect(tiered(seen('sub_1', 'basic_monthly', { entitlements: [] }))).not.toHaveProperty('entitlements');
    expect(tiered({ ...bought('team_for_good', 1), entitlements: ['basic'] } as Fact).entitlements).toEqual([
      'basic',
    ]);
  });

  it('end with the bound of each', () => {
    const both = after(NO_FACTS, seen('sub_1', 'pro_monthly'), bought('basic_for_good', 1));
    expect(entitlementOf(both, 17 * DAY, tiers)).toMatchObject({ paid: true, entitlements: ['basic'] });
  });
});

describe('beside a lifetime plan', () => {
  const beside = (...facts: readonly Fact[]) =>
    besideLifetime(after(NO_FACTS, ...facts), tiers)?.subscriptions;

  it('what entitles to no more is to be ended, and what entitles to more goes on', () => {
    const life = bought('basic_for_good', 1);
    expect(beside(life, seen('sub_1', 'basic_monthly'))).toEqual(['sub_1']);
    expect(beside(life, seen('sub_1', 'pro_monthly'))).toEqual([]);
    expect(tiered(life, seen('sub_1', 'basic_monthly')).runningSubscription).not.toHaveProperty('goesOn');
    expect(tiered(life, seen('sub_1', 'pro_monthly'))).toMatchObject({
      plan: 'basic_for_good',
      runningSubscription: { plan: 'pro_monthly', goesOn: true },
    });
  });

  it('goes by what was sold, and by all lifetime plans together', () => {
    const pro = seen('sub_1', 'pro_monthly', { entitlements: ['basic', 'team'] });
    expect(beside(bought('basic_for_good', 1), pro)).toEqual([]);
    expect(beside(bought('basic_for_good', 1), bought('team_for_good', 2), pro)).toEqual(['sub_1']);
  });

  it('nothing is ended for those who own none', () => {
    expect(beside(seen('sub_1', 'basic_monthly'))).toBeUndefined();
  });
});
