import { describe, expect, it } from 'vitest';
import { expectCaught, failureOf, type Start } from './caught.ts';
import { firstFailure } from './known-failures.ts';
import { type Mutation, mutatedService } from './mutate.ts';
import { failureOfRaces } from './races.ts';

/**
 * Wrong implementations, each put in the place of the right rule in the service's own source: the model test has to
 * fail for every one of them, or it proves nothing. What each failure looked like is printed.
 */

const ANY: readonly Start[] = [7, 1, 2, 3, 4, 5, 6].map((seed) => ['any', seed]);
const IMPORTED: readonly Start[] = [16, 10, 38, 7, 1, 2, 3].map((seed) => ['import', seed]);

const SUBSCRIPTION = 'functions/src/events/subscription.ts';
const DERIVE = 'functions/src/events/derive.ts';
const FACTS = 'functions/src/events/facts.ts';
const DISPUTES = 'functions/src/events/disputes.ts';
const ENTITLEMENT = 'functions/src/events/entitlement.ts';
const APPLY = 'functions/src/events/apply.ts';
const WEBHOOK = 'functions/src/events/webhook.ts';
const SALE = 'functions/src/stripe/sale.ts';
const INVOICES = 'functions/src/stripe/invoices.ts';
const SUBSCRIPTIONS = 'functions/src/stripe/subscriptions.ts';
const DOCUMENTS = 'functions/src/store/documents.ts';
const SHARED = 'functions/src/store/group-commit.ts';
const TRANSACT = 'functions/src/store/transact.ts';

async function isCaught(name: string, mutations: readonly Mutation[], starts = ANY): Promise<void> {
  expectCaught(name, await failureOf(mutations, starts));
}

async function isCaughtInRaces(name: string, mutation: Mutation): Promise<void> {
  const service = await mutatedService([mutation]);
  const failure = await firstFailure([{ seed: 7, histories: 2_000 }], (look) =>
    failureOfRaces(service, look),
  );
  expectCaught(name, failure);
}

describe('the model test catches', { timeout: 120_000 }, () => {
  it('nothing in the right rules', async () => {
    // Many more of them are in converges.test.ts.
    expect(await failureOf([], ANY.slice(0, 1), 15)).toBeNull();
  });

  it('last arrival wins', () =>
    isCaught('last arrival wins', [
      { file: SUBSCRIPTION, right: 'const newest = newerOf(known, next);', wrong: 'const newest = next;' },
    ]));

  it('a guard on created alone', () =>
    isCaught('a guard on created alone', [
      {
        file: SUBSCRIPTION,
        right: 'const newest = newerOf(known, next);',
        wrong: 'const newest = next.at < known.at ? known : next;',
      },
    ]));

  it('answers that are applied however old they are', () =>
    isCaughtInRaces('answers that are applied however old they are', {
      file: SUBSCRIPTION,
      right: `  if (answer.token <= known.ticket) return keep;
  if (answer.over !== mergedIn(known)) return 'outdated';
  const { state, token: ticket } = answer;`,
      wrong: '  const { state } = answer, ticket = known.ticket + 1;',
    }));

  it('tickets alone, blind to what was merged since the question', () =>
    isCaughtInRaces('tickets alone', {
      file: SUBSCRIPTION,
      right: "if (answer.over !== mergedIn(known)) return 'outdated';",
      wrong: '',
    }));

  // Packs as one number: `+=` at a purchase, `-=` at a refund, never below 0. Nothing else is wrong with it.
  it('a naive pack pool, added to and clamped on arrival', () =>
    isCaught('a naive pack pool', [
      {
        file: DERIVE,
        right: 'const allocation = rebalance(spent, facts, now, catalog);',
        wrong: `const right = rebalance(spent, facts, now, catalog);
          const { fact } = event;
          const was = account.facts.purchases[fact.purchase], is = facts.purchases[fact.purchase];
          let move = 0;
          if (fact.kind === 'purchase_paid') {
            if (fact.product === 'pack' && (was?.paidAt ?? null) === null) move = fact.credits;
          } else if (was !== undefined && is !== undefined) move = clawedOf(was) - clawedOf(is);
          const packs = Math.max(0, before.packs + move);
          const allocation = { ...right, balances: { allowance: right.balances.allowance, packs } };`,
      },
    ]));

  it('an imported allowance that comes back with the next subscription', () =>
    isCaught(
      'an imported allowance that comes back',
      [
        {
          file: DERIVE,
          right: 'return !statuses.some((status) => isOver(status) && hasBegun(status));',
          wrong:
            'return statuses.some((status) => !isOver(status)) || !statuses.some((status) => hasBegun(status));',
        },
      ],
      IMPORTED,
    ));

  it('an invoice read by its latest line, whatever it bills', () =>
    isCaught('an invoice read by its latest line', [
      {
        file: INVOICES,
        right: '.filter((line) => !isProration(line) && !isOneOff(line))',
        wrong: `.filter((line) => !isProration(line) && !isOneOff(line))
            .sort((a, b) => (b.period?.start ?? 0) - (a.period?.start ?? 0))
            .slice(0, 1)`,
      },
    ]));

  it('an invoice read by the ten lines that its event carries', () =>
    isCaught('an invoice read by the ten lines of its event', [
      {
        file: INVOICES,
        right: 'if (ask === null) return fact;',
        wrong: "if (ask === null || ask.kind === 'lines') return fact;",
      },
    ]));

  it('a dispute that takes all, whatever part of the money it is about', () =>
    isCaught('a dispute that takes all', [
      {
        file: DISPUTES,
        right: 'sum + (disputed ?? Number.POSITIVE_INFINITY)',
        wrong: 'sum + (disputed === 0 ? 0 : Number.POSITIVE_INFINITY)',
      },
    ]));

  it('a dispute on a subscription that is nobody’s', () =>
    isCaught('a dispute on a subscription that is nobody’s', [
      {
        file: WEBHOOK,
        right: "if (subject.kind === 'invoice' && !isDispute) return null;",
        wrong: "if (subject.kind === 'invoice') return null;",
      },
    ]));

  it('a paused collection that entitles without an end', () =>
    isCaught('a paused collection that entitles without an end', [
      { file: ENTITLEMENT, right: 'const pause = state.pause ?? null;', wrong: 'const pause = null;' },
    ]));

  it('an allowance that no clock ends', () =>
    isCaught('an allowance that no clock ends', [
      {
        file: ENTITLEMENT,
        right: 'return periodEnd != null && now >= periodEnd + ALLOWANCE_GRACE;',
        wrong: 'return false;',
      },
    ]));

  it('a ledger id that is taken and fails the event', async () => {
    const right = "return error instanceof Error && 'code' in error && error.code === 6;";
    const failure = await failureOf([{ file: TRANSACT, right, wrong: 'return false;' }], IMPORTED);
    expectCaught('a ledger id that is taken', failure, /ALREADY_EXISTS: .*credit_ledger/);
  });

  // Every process forgets, on its first event, what the one before it remembered.
  it('events remembered in memory only', () =>
    isCaught('events remembered in memory only', [
      {
        file: APPLY,
        right: 'const marker = paths.marker(firestore, event.id);',
        wrong: `if (!processes.has(firestore)) {
            processes.add(firestore);
            const { documents } = firestore;
            for (const path of documents.keys()) if (path.startsWith('billing_events/')) documents.delete(path);
          }
          const marker = paths.marker(firestore, event.id);`,
      },
      {
        file: APPLY,
        right: 'const MARKER_LASTS',
        wrong: 'const processes = new WeakSet();\nconst MARKER_LASTS',
      },
    ]));

  it('a marker that is written after the effects', () =>
    isCaught('a marker that is written after the effects', [
      { file: APPLY, right: 'transaction.create(marker, toMarker(uid, event, now));', wrong: '' },
      {
        file: APPLY,
        right: "if (shared.kind === 'done') return shared.result;",
        wrong: `if (shared.kind === 'done') {
            if (shared.result.kind === 'applied') await marker.create(toMarker(uid, event, now));
            return shared.result;
          }`,
      },
      { file: SHARED, right: 'if (!this.#writes.has(document)) throw', wrong: 'if (false) throw' },
    ]));

  it('a shared write on top of what somebody else wrote meanwhile', () =>
    isCaught('a shared write that names no version', [
      {
        file: SHARED,
        right: 'batch.update(document, fields, { lastUpdateTime })',
        wrong: 'batch.update(document, fields)',
      },
    ]));

  it('a dearer plan whose credits are added to those that are there', () =>
    isCaught('stacked', [
      { file: DERIVE, right: 'isChanged(grant.billed, plan) &&', wrong: '' },
      { file: DERIVE, right: 'isDearer(plan, grant),', wrong: 'true,' },
      {
        file: DERIVE,
        right: 'isServed(status) && dearer ? dearer : grant',
        wrong: 'isServed(status) && dearer ? { ...dearer, credits: dearer.credits + grant.credits } : grant',
      },
    ]));

  it('a dearer plan whose credits are lost until the next period', () =>
    isCaught('lost', [
      {
        file: DERIVE,
        right: '&& dearer ? dearer : grant;',
        wrong: '&& dearer ? grant : grant;',
      },
    ]));

  it('a dearer plan that is not paid for, and raises the allowance all the same', () =>
    isCaught('raised although unpaid', [
      {
        file: FACTS,
        right: 'return isEntitling(status) && !isOverdue(status);',
        wrong: 'return isEntitling(status);',
      },
    ]));

  it('what was spent before a change, spent no more after it', () =>
    isCaught('spent twice', [
      {
        file: DERIVE,
        right: 'const grant = { ...paid, ...broughtBy(facts, subscription, paid) };',
        wrong: `const { credits } = broughtBy(facts, subscription, paid);
          const grant = { ...paid, credits, invoice: credits > paid.credits ? paid.invoice + '_raised' : paid.invoice };`,
      },
    ]));

  it('a dearer plan that raises what the period before was paid with', () =>
    isCaught('raised before its period is paid', [
      {
        file: DERIVE,
        right: `plan.from === periodStart &&
      (plan.until ?? periodEnd) === (periodEnd ?? plan.until) &&`,
        wrong: 'plan.from >= periodStart &&',
      },
    ]));

  it('a subscription that bills on beside a lifetime plan', () =>
    isCaught('a subscription that bills on beside a lifetime plan', [
      { file: ENTITLEMENT, right: 'if (!ownsLifetime(facts)) return null;', wrong: 'return null;' },
    ]));

  it('what an ended subscription brought, kept', () =>
    isCaught('what an ended subscription brought, kept', [
      {
        file: ENTITLEMENT,
        right: '.filter(([id, { state }]) => isEntitling(state.status) && !isWithheld(facts, id))',
        wrong: '',
      },
      {
        file: ENTITLEMENT,
        right: 'until: entitledUntil(facts, id, known),',
        wrong:
          'until: isEntitling(known.state.status) && !isWithheld(facts, id) ? entitledUntil(facts, id, known) : 0,',
      },
      {
        file: ENTITLEMENT,
        right: 'new Set(held.flatMap(({ grants }) => grants))',
        wrong: 'new Set(sources.flatMap(({ grants }) => grants))',
      },
    ]));

  it('the last plan’s entitlements alone', () =>
    isCaught('the last plan’s entitlements alone', [
      {
        file: ENTITLEMENT,
        right: 'new Set(held.flatMap(({ grants }) => grants))',
        wrong: 'new Set(held.at(-1)?.grants ?? [])',
      },
    ]));

  it('the catalogue of now in the place of what was sold', () =>
    isCaught('the catalogue of now', [
      { file: SALE, right: 'return entitlements ?? grantsOf(', wrong: 'return grantsOf(' },
    ]));

  it('what was bought at first, whatever plan it was changed to', () =>
    isCaught('what was bought at first', [
      {
        file: SUBSCRIPTIONS,
        right: '(isBought ? bought.entitlements : undefined)',
        wrong: 'bought.entitlements',
      },
    ]));

  it('a bound that stays where nothing bounds an entitlement any more', () =>
    isCaught('a bound that stays', [
      {
        file: DOCUMENTS,
        right: 'transaction.update(document, fields)',
        wrong: `transaction.update(document, Object.fromEntries(Object.entries(fields).flatMap(([name, value]) =>
          name === 'entitlementsUntil' && value.constructor === Object
            ? Object.entries(value).map(([key, at]) => [name + '.' + key, at])
            : [[name, value]])))`,
      },
    ]));

  it('a subscription ended that has more than the lifetime plan', () =>
    isCaught('a subscription ended that has more', [
      {
        file: SALE,
        right:
          'if (!isSold(state, catalog) || grantsSold(state, catalog).some((name) => !owned.includes(name)))',
        wrong: 'if (!isSold(state, catalog))',
      },
    ]));

  it('the lifetime plan that was bought first, shown for good', () =>
    isCaught('the lifetime plan that was bought first', [
      { file: ENTITLEMENT, right: '(a, b) => b.paidAt - a.paidAt,', wrong: '(a, b) => a.paidAt - b.paidAt,' },
    ]));
});
