import { isEntitling } from '@extension-billing/contract/subscription-status';
import type { Facts } from '../../src/events/facts.ts';
import type { SubscriptionFact } from '../../src/stripe/facts.ts';
import type { Opening } from './any-history.ts';
import { wrong } from './mutate.ts';
import { describeMutants, type Mutant } from './notices.ts';
import type { Look } from './play.ts';
import { checkModel } from './property.ts';
import { failureOfRaces } from './races.ts';

/** One wrong rule for each rule of events that money depends on. */

const SUBSCRIPTION = '../../src/events/subscription.ts';
const FACTS = '../../src/events/facts.ts';
const DISPUTES = '../../src/events/disputes.ts';
const ENTITLEMENT = '../../src/events/entitlement.ts';
const LOTS = '../../src/events/lots.ts';
const HAND = '../../src/events/hand-grants.ts';
const SALE = '../../src/stripe/sale.ts';

const looks = (opening: Opening, ...seeds: readonly number[]): readonly Look[] =>
  seeds.map((seed) => ({ seed, opening, histories: 60 }));

function eventMutants(model: string, at: readonly Look[], mutants: readonly Mutant[]): void {
  const check = async ({ memoryService }: typeof import('./memory-service.ts'), look: Look) =>
    (await checkModel(memoryService, { ...look, journeysEach: 4 })).failure;
  describeMutants(model, './memory-service.ts', at, check, mutants);
}

/** The facts with another state of each subscription. */
const withStates = (facts: Facts, change: Partial<SubscriptionFact['state']>): Facts => ({
  ...facts,
  subscriptions: Object.fromEntries(
    Object.entries(facts.subscriptions).map(([id, known]) => [
      id,
      { ...known, state: { ...known.state, ...change } },
    ]),
  ),
});

eventMutants('the model of order and repetition', looks('any', 7, 1, 2, 3, 4, 5, 6), [
  [
    'a snapshot that wins because it came last',
    wrong(SUBSCRIPTION, ({ mergedIn }) => ({
      mergeSubscription: (known, { state, first, at }) => {
        const trialed = state.trialed || known?.state.trialed === true;
        const merged = mergedIn(known) + 1;
        return { state: { ...state, trialed }, first, at, ticket: known?.ticket ?? 0, merged };
      },
    })),
  ],
  [
    'snapshots of one second that are ordered by their time alone',
    wrong(SUBSCRIPTION, ({ mergedIn, mergeSubscription }) => ({
      mergeSubscription: (known, seen) => {
        const merged = mergeSubscription(known, seen);
        if (known === undefined || merged !== 'undecidable') return merged;
        const { state, first, at } = seen.at < known.at ? known : seen;
        return { state, first, at, ticket: known.ticket, merged: mergedIn(known) + 1 };
      },
    })),
  ],
  [
    'an event that is forgotten once it was handled',
    wrong('../../src/store/documents.ts', ({ paths }) => {
      let handled = 0;
      return {
        paths: {
          ...paths,
          marker: (firestore, id) => {
            handled += 1;
            return paths.marker(firestore, `${id}_${handled}`);
          },
        },
      };
    }),
  ],
  [
    'a write that overwrites another one made since the read',
    wrong('./memory-writes.ts', ({ updateWrite }) => ({
      updateWrite: (path, data) => updateWrite(path, data),
    })),
  ],
  [
    'an invoice that is read by the ten lines of its event',
    wrong('../../src/stripe/invoices.ts', ({ completeInvoice }) => ({
      completeInvoice: async (...args) => (args[2]?.kind === 'lines' ? args[1] : completeInvoice(...args)),
    })),
  ],
]);

eventMutants('the model of rights', looks('any', 7, 1, 2, 3, 4, 5, 6), [
  [
    'a paused collection that entitles without an end',
    wrong(ENTITLEMENT, ({ entitlementOf }) => ({
      entitlementOf: (facts, ...rest) => entitlementOf(withStates(facts, { pause: null }), ...rest),
    })),
  ],
  [
    'an ended subscription that keeps its entitlements',
    wrong(ENTITLEMENT, ({ entitlementOf }) => ({
      entitlementOf: (facts, ...rest) => {
        const { entitlements } = entitlementOf(withStates(facts, { status: 'active' }), ...rest);
        return { ...entitlementOf(facts, ...rest), ...(entitlements !== undefined && { entitlements }) };
      },
    })),
  ],
  [
    'a subscription that bills on beside a lifetime plan',
    wrong(ENTITLEMENT, () => ({ besideLifetime: () => null })),
  ],
  [
    'a subscription that is ended though it has more than the lifetime plan',
    wrong(SALE, ({ endingOf, grantsSold }) => ({
      endingOf: (state, catalog) => endingOf(state, catalog, grantsSold(state, catalog)),
    })),
  ],
  [
    'a plan that entitles to what the catalogue says now, not to what was sold',
    wrong(SALE, ({ grantsSold }) => ({
      grantsSold: ({ lookupKey }, catalog) => grantsSold({ lookupKey: lookupKey ?? null }, catalog),
    })),
  ],
  [
    'a second trial after a deletion',
    wrong(FACTS, ({ reduce }) => ({
      reduce: (facts, fact, customer) => {
        const reduced = reduce(facts, fact, customer);
        if (fact.kind !== 'account_closed' || reduced.kind !== 'reduced') return reduced;
        const { imported } = reduced.facts;
        return {
          ...reduced,
          facts: { ...reduced.facts, imported: imported && { ...imported, trialUsed: false } },
        };
      },
    })),
  ],
]);

eventMutants('the model of bought credits', looks('any', 7, 11, 1, 2, 3, 4, 5), [
  ['an allowance that outlives what was paid', wrong(ENTITLEMENT, () => ({ isLapsed: () => false }))],
  [
    'a refunded pack whose spent credits are taken from later packs',
    wrong(LOTS, () => ({
      totalOfLots: (lots, spent) => {
        const kept = lots.filter(({ expires }) => expires === null);
        const leftOf = (lot: (typeof kept)[number]) =>
          lot.credits - (lot.clawback?.credits ?? 0) - (spent[lot.purchase] ?? 0);
        return Math.max(
          0,
          kept.reduce((sum, lot) => sum + leftOf(lot), 0),
        );
      },
    })),
  ],
  [
    'a dispute about a part that takes all',
    wrong(DISPUTES, ({ withheldBy }) => ({
      withheldBy: (disputes) => (withheldBy(disputes) > 0 ? Number.POSITIVE_INFINITY : 0),
    })),
  ],
  [
    'a dispute that was won and still takes credits',
    wrong(DISPUTES, ({ withDispute }) => ({
      withDispute: (before, report) =>
        withDispute(before, report.outcome === 'won' ? { ...report, outcome: 'lost' } : report),
    })),
  ],
  [
    'packs that are left after a deletion',
    wrong(FACTS, ({ reduce }) => ({
      reduce: (facts, fact, customer) => {
        const reduced = reduce(facts, fact, customer);
        if (fact.kind !== 'account_closed' || reduced.kind !== 'reduced') return reduced;
        return { ...reduced, facts: { ...reduced.facts, purchases: facts.purchases } };
      },
    })),
  ],
  ['a purchase that comes back after a deletion', wrong(HAND, () => ({ isGivenUp: () => false }))],
]);

eventMutants('the model of changed plans', looks('changes', 3, 6, 4, 9, 1), [
  ['a dearer plan that brings nothing before it renews', wrong(FACTS, () => ({ isDearer: () => false }))],
  ['a cheaper plan that takes what is paid for', wrong(FACTS, () => ({ isDearer: () => true }))],
  [
    'a dearer plan that brings its credits before it is paid',
    wrong(FACTS, ({ reduce, withPlanCredits }) => ({
      isServed: isEntitling,
      reduce: (facts, fact, customer) => {
        const reduced = reduce(facts, fact, customer);
        if (fact.kind !== 'subscription_seen' || reduced.kind !== 'reduced') return reduced;
        const paid = { ...fact.state, status: 'active' };
        return { ...reduced, facts: withPlanCredits(reduced.facts, fact.subscription, paid) };
      },
    })),
  ],
]);

eventMutants('the model of disputed changes', looks('disputes', 1, 2, 3), [
  [
    'a dearer plan that stays though its payment is disputed',
    wrong(DISPUTES, () => ({ undoneUpgrade: () => null })),
  ],
  [
    'a plan that entitles though all of its payment is disputed',
    wrong(ENTITLEMENT, ({ entitlementOf }) => ({
      entitlementOf: (facts, ...rest) => {
        const upgrades = Object.entries(facts.disputedInvoices).filter(([, { upgrade }]) => upgrade);
        return entitlementOf({ ...facts, disputedInvoices: Object.fromEntries(upgrades) }, ...rest);
      },
    })),
  ],
  [
    'a dearer plan that entitles though its payment is disputed',
    wrong(DISPUTES, () => ({ isUndone: () => false })),
  ],
  [
    'a dearer plan that keeps its credits though its payment is disputed',
    wrong(DISPUTES, ({ undoneUpgrade }) => ({
      undoneUpgrade: (...asked) => {
        const undone = undoneUpgrade(...asked);
        return undone && { ...undone, before: { ...undone.before, credits: 1e9 } };
      },
    })),
  ],
  [
    'a change that goes as a whole though a part of its payment is disputed',
    wrong(DISPUTES, ({ undoneUpgrade }) => ({
      undoneUpgrade: (...asked) => {
        const undone = undoneUpgrade(...asked);
        return undone && { ...undone, withheld: undone.amount };
      },
    })),
  ],
  [
    'a period that keeps its credits though its payment is disputed',
    wrong(DISPUTES, () => ({ takenWith: () => 0 })),
  ],
  [
    'a disputed change that takes from the periods after it',
    wrong(DISPUTES, ({ undoneUpgrade }) => ({
      undoneUpgrade: ({ disputedInvoices, ...periods }, subscription) => {
        const undone = Object.values(disputedInvoices).find((each) => each.subscription === subscription);
        const until = undone?.upgrade?.until ?? null;
        const grants = { [subscription]: { periodEnd: until } };
        return undoneUpgrade({ ...periods, grants, disputedInvoices }, subscription);
      },
    })),
  ],
  [
    'two invoices of one second that are not ordered by what made them',
    wrong(FACTS, ({ reduce }) => ({
      reduce: (facts, fact, customer) => {
        if (fact.kind !== 'allowance_paid') return reduce(facts, fact, customer);
        return reduce(facts, { ...fact, renews: false, changes: false }, customer);
      },
    })),
  ],
]);

eventMutants('the model of imported accounts', looks('import', 16, 10, 38, 7, 1, 2, 3), [
  [
    'a ledger entry that exists already and fails the event',
    wrong('../../src/store/transact.ts', () => ({ isTaken: () => false })),
  ],
]);

eventMutants('the model of grants by hand', looks('by_hand', 7, 1, 2, 3, 4), [
  [
    'a revocation that takes nothing back',
    wrong(HAND, ({ mergeHandGrant }) => ({
      mergeHandGrant: (before, fact) => ({ ...mergeHandGrant(before, fact), revokedAt: null }),
    })),
  ],
  [
    'a revocation that takes what was bought',
    wrong(LOTS, ({ lotsOf }) => ({
      lotsOf: (facts) =>
        lotsOf(facts).map((lot) => {
          if (lot.clawback === null) return lot;
          const { credits, since } = lot.clawback;
          return { ...lot, clawback: { credits, since } };
        }),
    })),
  ],
  [
    'a complimentary plan without an end',
    wrong(HAND, ({ complimentaryOf }) => ({
      complimentaryOf: (grant) => complimentaryOf(grant).map((plan) => ({ ...plan, until: null })),
    })),
  ],
  [
    'a retried grant that is given again',
    wrong('../../src/events/grants.ts', ({ grantByHand }) => {
      let asked = 0;
      return {
        grantByHand: (deps, uid, grant, limits) => {
          asked += 1;
          return grantByHand(deps, uid, { ...grant, key: `${grant.key}_${asked}` }, limits);
        },
      };
    }),
  ],
]);

const RACES: readonly Look[] = [{ seed: 7, histories: 2_000 }];

describeMutants(
  'the model of questions to the provider',
  './memory-service.ts',
  RACES,
  ({ memoryService }, look) => failureOfRaces(memoryService, look),
  [
    [
      'an answer that is applied however old it is',
      wrong(SUBSCRIPTION, ({ settleSubscription, mergedIn }) => ({
        settleSubscription: (known, seen, answer, now) =>
          settleSubscription({ ...known, ticket: -1 }, seen, { ...answer, over: mergedIn(known) }, now),
      })),
    ],
    [
      'an answer that is applied over a later snapshot',
      wrong(SUBSCRIPTION, ({ settleSubscription, mergedIn }) => ({
        settleSubscription: (known, seen, answer, now) =>
          settleSubscription(known, seen, { ...answer, over: mergedIn(known) }, now),
      })),
    ],
  ],
);

describeMutants(
  'the model of planned changes',
  './memory-service.ts',
  RACES,
  ({ memoryService }, look) => failureOfRaces(memoryService, look, 'its plan'),
  [
    [
      'the answer to an earlier question, in place of a later one',
      wrong(FACTS, ({ reduce }) => ({
        reduce: (facts, fact, customer) => {
          if (fact.kind !== 'plan_asked') return reduce(facts, fact, customer);
          const { [fact.subscription]: _, ...planned } = facts.planned;
          return reduce({ ...facts, planned }, fact, customer);
        },
      })),
    ],
  ],
);
