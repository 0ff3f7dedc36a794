import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Balances } from '../../src/domain/balance.ts';
import type { Books, balanceBooks } from '../../src/domain/books.ts';
import type { entitledUntil } from '../../src/domain/bounds.ts';
import type { Account, Derived } from '../../src/domain/derive.ts';
import type { Disputes, withheldBy } from '../../src/domain/dispute.ts';
import type { BillingEvent, Fact } from '../../src/domain/events.ts';
import type { Facts } from '../../src/domain/facts.ts';
import { IMPORTED } from '../../src/domain/imported.ts';
import { clawedOf } from '../../src/domain/purchase.ts';
import type { Answer, settleSubscription } from '../../src/domain/subscription.ts';
import type { SubscriptionFact } from '../../src/domain/subscription-fact.ts';
import { isTerminal } from '../../src/domain/subscription-fact.ts';
import type { completeInvoice } from '../../src/provider/complete-invoice.ts';
import type { serviceLinesOf } from '../../src/provider/service-lines.ts';
import type { traceCharge } from '../../src/provider/trace-charge.ts';
import type { MemoryFirestore } from './memory-firestore.ts';
import { checkModel } from './property.ts';
import { failureOfRaces } from './races.ts';

/**
 * Wrong implementations, each put in the place of the right rule in the service's own code: the model test has
 * to fail for every one of them, or it proves nothing. What each failure looked like is printed.
 */

const SEED = 7;
const WITHIN = 400;
const RACES = 2000;

type Seen = Extract<Fact, { kind: 'subscription_seen' }>;

const SUBSCRIPTION = '../../src/domain/subscription.ts';
const DERIVE = '../../src/domain/derive.ts';
const BOOKS = '../../src/domain/books.ts';
const SERVICE_LINES = '../../src/provider/service-lines.ts';
const COMPLETE_INVOICE = '../../src/provider/complete-invoice.ts';
const DISPUTE = '../../src/domain/dispute.ts';
const TRACE_CHARGE = '../../src/provider/trace-charge.ts';
const BOUNDS = '../../src/domain/bounds.ts';
const CONFLICT = '../../src/store/conflict.ts';
const COMMIT_EVENT = '../../src/store/commit-event.ts';
const BESIDE_LIFETIME = '../../src/domain/beside-lifetime.ts';

const MUTATED = [
  SUBSCRIPTION,
  DERIVE,
  BOOKS,
  SERVICE_LINES,
  COMPLETE_INVOICE,
  DISPUTE,
  BOUNDS,
  TRACE_CHARGE,
  CONFLICT,
  COMMIT_EVENT,
  BESIDE_LIFETIME,
];

afterEach(() => {
  for (const module of MUTATED) vi.doUnmock(module);
  vi.resetModules();
});

/** The first failure of the model test with the code as it is mocked now; null when it noticed nothing. */
async function failureOf(asFound = false, opening: 'any' | 'import' = 'any'): Promise<string | null> {
  vi.doMock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));
  const { memoryService } = await import('./memory-service.ts');
  const { failure } = await checkModel(memoryService, {
    histories: WITHIN,
    journeysEach: 4,
    seed: SEED,
    asFound,
    opening,
  });
  return failure;
}

async function failureOfRacesNow(): Promise<string | null> {
  vi.doMock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));
  const { memoryService } = await import('./memory-service.ts');
  return failureOfRaces(memoryService, RACES, SEED);
}

function put(module: string, wrong: (right: never) => object): void {
  vi.resetModules();
  vi.doMock(module, async (importOriginal) => {
    const right = await importOriginal<object>();
    return { ...right, ...wrong(right as never) };
  });
}

async function isCaught(name: string): Promise<void> {
  report(name, await failureOf());
}

function report(name: string, failure: string | null): void {
  expect(failure, `the model test did not notice: ${name}`).not.toBeNull();
  console.log(`--- the model test catches: ${name}\n${(failure ?? '').replace(/^replay: .*\n/, '')}\n`);
}

/** As the right rule keeps it, so that only the order is wrong. */
function stateFrom(known: SubscriptionFact | undefined, seen: Seen): SubscriptionFact {
  const trialed = seen.state.trialed || known?.state.trialed === true;
  return { state: { ...seen.state, trialed }, first: seen.first, at: seen.at, ticket: 0 };
}

// Looking for the smallest case is work that a busy machine does slowly.
describe('the model test catches', { timeout: 120_000 }, () => {
  it('nothing in the right rules', async () => {
    vi.resetModules();
    expect(await failureOf()).toBeNull();
  });

  it('last arrival wins', async () => {
    put(SUBSCRIPTION, () => ({ mergeSubscription: stateFrom }));
    await isCaught('last arrival wins');
  });

  it('a guard on created alone', async () => {
    put(SUBSCRIPTION, () => ({
      mergeSubscription: (known: SubscriptionFact | undefined, seen: Seen) =>
        known !== undefined && seen.at < known.at ? known : stateFrom(known, seen),
    }));
    await isCaught('a guard on created alone');
  });

  it('answers that are applied however old they are', async () => {
    put(SUBSCRIPTION, (right: { settleSubscription: typeof settleSubscription }) => ({
      settleSubscription: (known: SubscriptionFact, seen: Seen, answer: Answer, now: number) => {
        const young = { ...answer, ticket: known.ticket + 1, over: known.merged ?? 0 };
        return right.settleSubscription(known, seen, young, now);
      },
    }));
    vi.doMock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));
    const { memoryService } = await import('./memory-service.ts');
    report('answers that are applied however old they are', await failureOfRaces(memoryService, RACES, SEED));
  });

  it('tickets alone, blind to what was merged since the question', async () => {
    put(SUBSCRIPTION, (right: { settleSubscription: typeof settleSubscription }) => ({
      settleSubscription: (known: SubscriptionFact, seen: Seen, answer: Answer, now: number) =>
        right.settleSubscription(known, seen, { ...answer, over: known.merged ?? 0 }, now),
    }));
    report('tickets alone', await failureOfRacesNow());
  });

  it('a naive pack pool, added to and clamped on arrival', async () => {
    put(DERIVE, (right: { derive: typeof naiveDerive.right }) => ({
      derive: (...args: Parameters<typeof naiveDerive.right>) => naiveDerive(right.derive, ...args),
    }));
    await isCaught('a naive pack pool');
  });

  it('an imported allowance that comes back with the next subscription', async () => {
    put(BOOKS, (right: { balanceBooks: typeof balanceBooks }) => ({
      balanceBooks: (books: Books, facts: Facts, now: number) =>
        right.balanceBooks(books, withoutEnds(facts), now),
    }));
    report('an imported allowance that comes back', await failureOf(true, 'import'));
  });

  it('an invoice read by its latest line, whatever it bills', async () => {
    put(SERVICE_LINES, (right: { serviceLinesOf: typeof serviceLinesOf }) => ({
      serviceLinesOf: (lines: Parameters<typeof serviceLinesOf>[0]) =>
        [...right.serviceLinesOf(lines)].sort((a, b) => (b.start ?? 0) - (a.start ?? 0)).slice(0, 1),
    }));
    report('an invoice read by its latest line', await failureOf(true));
  });

  it('an invoice read by the ten lines that its event carries', async () => {
    put(COMPLETE_INVOICE, (right: { completeInvoice: typeof completeInvoice }) => ({
      completeInvoice: async (...[stripe, fact, ask]: Parameters<typeof completeInvoice>) =>
        ask?.kind === 'lines' ? fact : right.completeInvoice(stripe, fact, ask),
    }));
    report('an invoice read by the ten lines of its event', await failureOf(true));
  });

  it('a dispute that takes all, whatever part of the money it is about', async () => {
    put(DISPUTE, (right: { withheldBy: typeof withheldBy }) => ({
      withheldBy: (disputes: Disputes) => (right.withheldBy(disputes) > 0 ? Number.POSITIVE_INFINITY : 0),
    }));
    report('a dispute that takes all', await failureOf(true));
  });

  it('a dispute on a subscription that is nobody’s', async () => {
    put(TRACE_CHARGE, (right: { traceCharge: typeof traceCharge }) => ({
      traceCharge: async (...asked: Parameters<typeof traceCharge>) => {
        const subject = await right.traceCharge(...asked);
        return subject?.kind === 'invoice' ? null : subject;
      },
    }));
    report('a dispute on a subscription that is nobody’s', await failureOf(true));
  });

  it('a paused collection that entitles without an end', async () => {
    put(BOUNDS, (right: { entitledUntil: typeof entitledUntil }) => ({
      entitledUntil: (...[facts, id, known]: Parameters<typeof entitledUntil>) =>
        right.entitledUntil(facts, id, { ...known, state: { ...known.state, pause: null } }),
    }));
    report('a paused collection that entitles without an end', await failureOf(true));
  });

  it('an allowance that no clock ends', async () => {
    put(BOUNDS, () => ({ isLapsed: () => false }));
    report('an allowance that no clock ends', await failureOf(true));
  });

  it('a ledger id that is taken and fails the event', async () => {
    put(CONFLICT, () => ({ isTaken: () => false }));
    report('a ledger id that is taken', await failureOf(true, 'import'));
  });

  it('events remembered in memory only', async () => {
    put(COMMIT_EVENT, (right: { commitEvent: CommitEvent }) => {
      const processes = new WeakSet<object>();
      return {
        commitEvent: (firestore: MemoryFirestore, uid: string, event: BillingEvent, ...rest: unknown[]) => {
          if (!processes.has(firestore)) forgetMarkers(firestore);
          processes.add(firestore);
          return right.commitEvent(firestore, uid, event, ...rest);
        },
      };
    });
    await isCaught('events remembered in memory only');
  });

  it('a marker that is written after the effects', async () => {
    put(COMMIT_EVENT, (right: { commitEvent: CommitEvent }) => ({
      commitEvent: async (
        firestore: MemoryFirestore,
        uid: string,
        event: BillingEvent,
        ...rest: unknown[]
      ) => {
        const path = `billing_events/${event.id}`;
        const committed = await right.commitEvent(firestore, uid, event, ...rest);
        const marker = firestore.documents.get(path);
        if (committed.kind !== 'applied' || marker === undefined) return committed;
        firestore.documents.delete(path);
        await firestore.doc(path).create(marker.data);
        return committed;
      },
    }));
    await isCaught('a marker that is written after the effects');
  });

  it('a subscription that bills on beside a lifetime plan', async () => {
    put(BESIDE_LIFETIME, () => ({ subscriptionsToEnd: () => null }));
    await isCaught('a subscription that bills on beside a lifetime plan');
  });
});

/** While anything lives, an import is told of no end. */
function withoutEnds(facts: Facts): Facts {
  const ended = Object.entries(facts.subscriptions).filter(([, { state }]) => isTerminal(state));
  if (facts.grants[IMPORTED] === undefined || ended.length === Object.keys(facts.subscriptions).length) {
    return facts;
  }
  const isOver = new Set(ended.map(([id]) => id));
  const subscriptions = Object.entries(facts.subscriptions).filter(([id]) => !isOver.has(id));
  const grants = Object.entries(facts.grants).filter(([id]) => !isOver.has(id));
  return { ...facts, subscriptions: Object.fromEntries(subscriptions), grants: Object.fromEntries(grants) };
}

/** What the process before this one remembered is gone. */
function forgetMarkers({ documents }: MemoryFirestore): void {
  for (const path of documents.keys()) if (path.startsWith('billing_events/')) documents.delete(path);
}

type CommitEvent = (
  firestore: MemoryFirestore,
  uid: string,
  event: BillingEvent,
  ...rest: unknown[]
) => Promise<{ readonly kind: string }>;

/** Packs as one number: `+=` at a purchase, `-=` at a refund, never below 0. Nothing else is wrong with it. */
function naiveDerive(
  right: typeof naiveDerive.right,
  account: Account,
  facts: Facts,
  event: BillingEvent,
  now: number,
): Derived {
  const derived = right(account, facts, event, now);
  const { record } = derived;
  if (record.creditsAllowance === undefined) return derived;
  const before: Balances = {
    allowance: account.record?.creditsAllowance ?? 0,
    packs: account.record?.packCreditsRemaining ?? 0,
  };
  const packs = Math.max(0, before.packs + naiveMove(account.facts, facts, event.fact));
  const after: Balances = { allowance: record.creditsAllowance, packs };
  return {
    books: { ...derived.books, balances: after },
    record: { ...record, packCreditsRemaining: packs, creditsRemaining: after.allowance + packs },
    entry:
      after.allowance === before.allowance && packs === before.packs
        ? null
        : {
            id: `naive_${event.id}`,
            kind: 'grant',
            reason: 'naive',
            eventId: event.id,
            deltaAllowance: after.allowance - before.allowance,
            deltaPack: packs - before.packs,
            allowance: after.allowance,
            packCredits: packs,
            createdAt: now,
          },
  };
}
naiveDerive.right = (_account: Account, _facts: Facts, _event: BillingEvent, _now: number): Derived => {
  throw new Error('only a type');
};

function naiveMove(before: Facts, after: Facts, fact: Fact): number {
  if (!('purchase' in fact)) return 0;
  const [known, now] = [before.purchases[fact.purchase], after.purchases[fact.purchase]];
  if (fact.kind === 'purchase_paid') {
    return fact.product === 'pack' && (known?.paidAt ?? null) === null ? fact.credits : 0;
  }
  if (known === undefined || now === undefined) return 0;
  return clawedOf(known) - clawedOf(now);
}
