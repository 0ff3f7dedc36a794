import { creditsAt } from '@extension-billing/contract/credits';
import { billingState, hasEntitlement } from '@extension-billing/contract/customer';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PureAccount } from '../../test/fixtures/account.ts';
import type { Fact } from '../stripe/facts.ts';
import { entitlementOf } from './entitlement.ts';
import { NO_FACTS, reduce } from './facts.ts';
import type { HandTerms, KnownFact } from './hand-grants.ts';
import { lotsOf, totalOfLots } from './lots.ts';

const START = Date.UTC(2026, 0, 5);

function granted(grant: string, at: number, terms: Partial<HandTerms>): KnownFact {
  const nothing = { credits: 0, expires: null, entitlements: [], until: null };
  return { kind: 'hand_granted', grant, at, ...nothing, ...terms };
}
const revoked = (grant: string, at: number): KnownFact => ({ kind: 'hand_revoked', grant, at });
const bought = (purchase: string, credits: number, at: number): Fact => ({
  ...{ kind: 'purchase_paid', purchase, product: 'pack', credits, lookupKey: PACK.small, at },
});
const refunded = (purchase: string, at: number): Fact => ({
  ...{ kind: 'charge_refunded', purchase, charge: `ch_${purchase}`, product: 'pack', amount: 100 },
  ...{ refunded: 100, at },
});
const ended = (at: number): Fact => ({
  kind: 'subscription_seen',
  subscription: 'sub',
  state: {
    ...{ status: 'canceled', cancel: false, lookupKey: PLAN.monthly, periodEnd: at, trialed: true },
    tagged: true,
  },
  first: false,
  at,
});

function account(...heard: readonly (readonly [KnownFact, number])[]) {
  const made = new PureAccount();
  for (const [fact, now] of heard) made.hears(fact, now);
  return made;
}
const has = ({ record }: PureAccount, now: number) => creditsAt(record, now);

describe('credits that are granted by hand', () => {
  it('are pack credits for good, with an entry of their own', () => {
    const made = account([granted('g1', START, { credits: 100 }), START]);
    expect(has(made, START + 400 * DAY)).toEqual({ allowance: 0, packs: 100 });
    expect(made.ledger).toMatchObject([{ id: 'grant_g1', kind: 'grant', byHand: true, deltaPack: 100 }]);
    expect(made.record).toMatchObject({ paid: false, plan: null, packCreditsRemaining: 100 });
    made.hears(granted('g1', START, { credits: 100 }), START + DAY);
    expect(has(made, START + DAY)).toEqual({ allowance: 0, packs: 100 });
  });

  it('end where they are to end', () => {
    const expires = START + 30 * DAY;
    const made = account([granted('g1', START, { credits: 100, expires }), START]);
    expect(made.spends(40, START + DAY)).toBe(true);
    expect(has(made, expires - 1)).toEqual({ allowance: 0, packs: 60 });
    expect(has(made, expires)).toEqual({ allowance: 0, packs: 0 });
  });

  it.each([null, START + 30 * DAY])(
    'are taken back as far as they are left (they end at %s), and nothing that was bought',
    (expires) => {
      const made = account(
        [granted('g1', START, { credits: 100, expires }), START],
        [bought('pi_1', 50, START + DAY), START + DAY],
      );
      expect(made.spends(70, START + 2 * DAY)).toBe(true);
      made.hears(revoked('g1', START + 3 * DAY), START + 3 * DAY);
      expect(has(made, START + 3 * DAY)).toEqual({ allowance: 0, packs: 50 });
      expect(made.ledger.at(-1)).toMatchObject({
        ...{ id: 'clawback_g1', kind: 'clawback', byHand: true, deltaPack: -30 },
      });
      made.hears(revoked('g1', START + 4 * DAY), START + 4 * DAY);
      expect(has(made, START + 4 * DAY)).toEqual({ allowance: 0, packs: 50 });
    },
  );

  it('pay for a pack whose money went back after they were given, as any lot that was there', () => {
    const made = account([bought('pi_1', 50, START), START]);
    expect(made.spends(50, START + 1000)).toBe(true);
    made.hears(granted('g1', START + DAY, { credits: 80 }), START + DAY);
    made.hears(refunded('pi_1', START + 2 * DAY), START + 2 * DAY);
    expect(has(made, START + 2 * DAY)).toEqual({ allowance: 0, packs: 30 });
    made.hears(revoked('g1', START + 3 * DAY), START + 3 * DAY);
    expect(has(made, START + 3 * DAY)).toEqual({ allowance: 0, packs: 0 });
  });

  it('are the same in whichever order their facts come', () => {
    const facts: readonly KnownFact[] = [
      granted('g1', START, { credits: 7 }),
      granted('g2', START + 1, { credits: 11, expires: START + DAY }),
      revoked('g1', START + 2),
      bought('pi_1', 5, START + 1000),
      refunded('pi_1', START + 2000),
    ];
    const all = (order: readonly KnownFact[]) =>
      order.reduce((known, fact) => {
        const reduced = reduce(known, fact, null);
        return reduced.kind === 'reduced' ? reduced.facts : known;
      }, NO_FACTS);
    const inOrder = all(facts);
    fc.assert(
      fc.property(fc.shuffledSubarray([...facts, ...facts], { minLength: 10 }), (order) => {
        const { handGrants } = all(order);
        expect(handGrants).toEqual(inOrder.handGrants);
        expect(totalOfLots(lotsOf(all(order)), {})).toBe(0);
      }),
    );
  });
});

describe('a complimentary plan', () => {
  const UNTIL = START + 90 * DAY;
  const pro = { entitlements: ['basic', 'pro'], until: UNTIL };

  it('entitles as a paid one does, until its end, and shows no plan', () => {
    const { record } = account([granted('g1', START, pro), START]);
    expect(record).toMatchObject({ paid: true, plan: null, status: null, entitledUntil: UNTIL });
    expect(record).not.toHaveProperty('creditsRemaining');
    for (const name of ['paid', 'basic', 'pro']) {
      expect(hasEntitlement(record, name, UNTIL - 1), name).toBe(true);
      expect(hasEntitlement(record, name, UNTIL), name).toBe(false);
    }
    expect(billingState(record)).toBe('active');
  });

  it('without names is paid and nothing more', () => {
    const { record } = account([granted('g1', START, { entitlements: ['paid'], until: UNTIL }), START]);
    expect(record).toMatchObject({ paid: true, entitledUntil: UNTIL });
    expect(record).not.toHaveProperty('entitlements');
  });

  it('is over once it is revoked, and by the clock', () => {
    const made = account([granted('g1', START, pro), START]);
    made.hears(revoked('g1', START + DAY), START + DAY);
    expect(made.record).toMatchObject({ paid: false, entitledUntil: null });
    expect(made.record).not.toHaveProperty('entitlements');
    const late = account([granted('g2', START, pro), START], [revoked('g3', UNTIL), UNTIL]);
    expect(late.record).toMatchObject({ paid: false });
  });

  it('outlives a subscription that ends, and keeps nobody from buying another', () => {
    const made = account([granted('g1', START, pro), START], [ended(START + DAY), START + DAY]);
    expect(made.record).toMatchObject({ paid: true, plan: null, status: 'canceled', entitledUntil: UNTIL });
  });

  it('shows no imported plan that is over: its owner can buy again', () => {
    const imported = {
      ...{ paid: true, plan: PLAN.monthly, status: 'active', cancelAtPeriodEnd: false },
      ...{ currentPeriodEnd: START - 30 * DAY, customerId: null, trialUsed: false },
    };
    const reduced = reduce({ ...NO_FACTS, imported }, granted('g1', START, pro), null);
    if (reduced.kind !== 'reduced') throw new Error('grants are always decidable');
    const { paid, plan, status, entitledUntil } = entitlementOf(reduced.facts, START, testCatalog);
    expect({ paid, plan, status, entitledUntil }).toEqual({
      ...{ paid: true, plan: null, status: null, entitledUntil: UNTIL },
    });
  });
});
