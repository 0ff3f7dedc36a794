import { type LookupKey, offerOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { MINUTE } from '@extension-billing/contract/time';
import { describe, expect, it } from 'vitest';
import {
  admitCheckout,
  type BuyerRecord,
  CLAIM_LASTS,
  decideCheckout,
  decideClaim,
  MAX_OPEN_PACKS,
  NO_CHECKOUTS,
  type OpenCheckout,
  type RecentCheckouts,
} from './decide.ts';
import { isSoldInItsCurrency } from './decide-change.ts';

const TRIAL_DAYS = 7;
const FREE: BuyerRecord = { paid: false, plan: null, status: null, trialUsed: false };
const LIFETIME: BuyerRecord = {
  paid: true,
  plan: PLAN.lifetime,
  planKind: 'lifetime',
  status: 'active',
  trialUsed: true,
};

function decide(lookupKey: LookupKey, record: BuyerRecord | null) {
  const offer = offerOf(testCatalog, lookupKey);
  if (offer === undefined) throw new Error(`the catalogue does not sell ${lookupKey}`);
  return decideCheckout(offer, record, TRIAL_DAYS);
}

const subscribed = (status: string): BuyerRecord => ({
  paid: ['trialing', 'active', 'past_due'].includes(status),
  plan: PLAN.monthly,
  status,
  trialUsed: true,
});

describe('what a user may buy', () => {
  it.each([null, FREE])('a first subscription comes with the trial (record %j)', (record) => {
    expect(decide(PLAN.monthly, record)).toEqual({ kind: 'allowed', trialDays: TRIAL_DAYS });
    expect(decide(PLAN.metered, record)).toEqual({ kind: 'allowed', trialDays: TRIAL_DAYS });
  });

  it('the trial goes once to each user', () => {
    expect(decide(PLAN.yearly, { ...FREE, trialUsed: true })).toEqual({ kind: 'allowed', trialDays: 0 });
    const yearly = offerOf(testCatalog, PLAN.yearly);
    if (yearly === undefined) throw new Error('the catalogue does not sell it');
    const known = decideCheckout(yearly, FREE, TRIAL_DAYS, { trialUsed: true });
    expect(known).toEqual({ kind: 'allowed', trialDays: 0 });
  });

  it.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'])(
    'no second subscription beside one that is %s',
    (status) => {
      expect(decide(PLAN.yearly, subscribed(status))).toEqual({
        kind: 'refused',
        code: 'already_subscribed',
      });
    },
  );

  it.each(['canceled', 'incomplete', 'incomplete_expired'])('a new one after one that is %s', (status) => {
    expect(decide(PLAN.yearly, subscribed(status))).toEqual({ kind: 'allowed', trialDays: 0 });
  });

  it('a lifetime plan may follow a subscription, and has no trial', () => {
    expect(decide(PLAN.lifetime, subscribed('active'))).toEqual({ kind: 'allowed', trialDays: 0 });
    expect(decide(PLAN.lifetime, null)).toEqual({ kind: 'allowed', trialDays: 0 });
  });

  it.each([PLAN.lifetime, PLAN.monthly, PLAN.metered] as const)(
    'a lifetime owner needs no %s',
    (lookupKey) => {
      expect(decide(lookupKey, LIFETIME)).toEqual({ kind: 'refused', code: 'already_owned' });
    },
  );

  it.each([null, FREE, subscribed('active'), LIFETIME])('anyone may buy a pack (record %j)', (record) => {
    expect(decide(PACK.small, record)).toEqual({ kind: 'allowed', trialDays: 0 });
  });
});

describe('the one open subscription checkout of a user', () => {
  const NOW = 1_800_000_000_000;
  const session = { id: 'cs_1', url: 'https://provider.test/cs_1', expiresAt: NOW + 60_000 };
  const open: OpenCheckout = {
    attempt: 'first',
    lookupKey: PLAN.monthly,
    trial: true,
    claimedAt: NOW - 1_000,
    session,
  };
  const wanted = { lookupKey: PLAN.monthly, trial: true, waitedFor: null } as const;

  it('is claimed when there is none', () => {
    expect(decideClaim(null, wanted, NOW)).toEqual({ kind: 'claim' });
  });

  it('is asked about when the earlier session has run out: it may have been paid before', () => {
    const over = { ...open, session: { ...session, expiresAt: NOW } };
    const asked = { kind: 'replace', sessionId: 'cs_1' };
    expect(decideClaim(over, wanted, NOW)).toEqual(asked);
    expect(decideClaim(over, { ...wanted, waitedFor: 'first' }, NOW)).toEqual(asked);
  });

  it('is waited for while another request makes it', () => {
    expect(decideClaim({ ...open, session: null }, wanted, NOW)).toEqual({ kind: 'wait' });
  });

  it('is shared by those who waited for it and want the same', () => {
    expect(decideClaim(open, { ...wanted, waitedFor: 'first' }, NOW)).toEqual({
      kind: 'share',
      sessionId: 'cs_1',
      url: session.url,
    });
  });

  it('is closed for a successor by those who come later or want another plan', () => {
    const replace = { kind: 'replace', sessionId: 'cs_1' };
    expect(decideClaim(open, wanted, NOW)).toEqual(replace);
    const other = { ...wanted, lookupKey: PLAN.yearly, waitedFor: 'first' } as const;
    expect(decideClaim(open, other, NOW)).toEqual(replace);
    const inEuros = { ...wanted, currency: 'eur', waitedFor: 'first' } as const;
    expect(decideClaim(open, inEuros, NOW)).toEqual(replace);
    expect(decideClaim({ ...open, currency: 'eur' }, inEuros, NOW)).toMatchObject({ kind: 'share' });
  });

  it('is swept up after a request that died with it', () => {
    const dead = { ...open, session: null, claimedAt: NOW - CLAIM_LASTS };
    expect(decideClaim(dead, wanted, NOW)).toEqual({ kind: 'sweep', sessionId: null });
    expect(decideClaim({ ...dead, before: 'cs_0' }, wanted, NOW)).toEqual({
      kind: 'sweep',
      sessionId: 'cs_0',
    });
  });
});

const NOW = 1_800_000_000_000;

function after(count: number, kind: 'pack' | 'plan', at = NOW): RecentCheckouts {
  let recent = NO_CHECKOUTS;
  for (let index = 0; index < count; index += 1) {
    const admission = admitCheckout(recent, kind, at + index * MINUTE * (kind === 'pack' ? 1 : 0));
    if (admission.kind === 'refused') throw new Error('refused too early');
    recent = admission.recent;
  }
  return recent;
}

it('ten checkouts of a user in a minute are opened, the eleventh is told when to come again', () => {
  const recent = after(10, 'plan');
  expect(admitCheckout(recent, 'pack', NOW + 1_000)).toEqual({ kind: 'refused', until: NOW + MINUTE });
  expect(admitCheckout(recent, 'pack', NOW + MINUTE)).toMatchObject({ kind: 'admitted' });
});

it('as many pages of packs are open as may be: another one closes the oldest', () => {
  const recent = after(MAX_OPEN_PACKS, 'pack');
  const later = NOW + MAX_OPEN_PACKS * MINUTE;
  const next = admitCheckout(recent, 'pack', later);
  expect(next).toMatchObject({ kind: 'admitted', closesOldest: true });
  if (next.kind === 'refused') throw new Error('not refused');
  expect(next.recent.packs).toEqual([...recent.packs.slice(1), later]);
  expect(admitCheckout(recent, 'plan', later)).toMatchObject({ closesOldest: false });
});

it('pages that have run out are open no more', () => {
  const recent = after(MAX_OPEN_PACKS, 'pack');
  expect(admitCheckout(recent, 'pack', NOW + 25 * 60 * MINUTE)).toMatchObject({ closesOldest: false });
});

describe('beside a lifetime plan of a lower tier', () => {
  const owner: BuyerRecord = {
    paid: true,
    plan: 'any',
    planKind: 'lifetime',
    status: 'active',
    trialUsed: true,
  };
  const offer = (kind: 'subscription' | 'lifetime', ...grants: readonly string[]): PlanOffer => ({
    ...{ lookupKey: 'any', kind, interval: kind === 'lifetime' ? 'once' : 'month' },
    ...{ amount: 100, currency: 'usd', grants, credits: null, trial: false },
  });
  const decided = (wanted: PlanOffer, record = owner) =>
    decideCheckout(wanted, record, TRIAL_DAYS, null, ['basic']);

  it.each(['subscription', 'lifetime'] as const)('a %s is sold where it entitles to more', (kind) => {
    expect(decided(offer(kind, 'basic', 'pro')).kind).toBe('allowed');
    expect(decided(offer(kind, 'basic'))).toEqual({ kind: 'refused', code: 'already_owned' });
    expect(decided(offer(kind))).toEqual({ kind: 'refused', code: 'already_owned' });
  });

  it('no second subscription is sold beside one that goes on', () => {
    const running = {
      plan: 'pro',
      status: 'active',
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    } as const;
    const both = { ...owner, runningSubscription: running };
    const refused = { kind: 'refused', code: 'already_subscribed' };
    expect(decided(offer('subscription', 'basic', 'pro'), both)).toEqual(refused);
    expect(decided(offer('lifetime', 'basic', 'pro'), both).kind).toBe('allowed');
  });
});

it('a subscription is changed only to a plan that is sold in the currency it is billed in', () => {
  const price = { amounts: { kwd: 2_900, usd: 900 } };
  expect(isSoldInItsCurrency(price, { currency: 'usd' })).toBe(true);
  expect(isSoldInItsCurrency(price, { currency: 'jpy' })).toBe(false);
  // Facts from before it was kept do not say: Stripe decides.
  expect(isSoldInItsCurrency(price, {})).toBe(true);
});
