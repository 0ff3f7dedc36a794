import { compareDisputes, comparePurchases } from './compare-purchases.ts';
import type { Difference } from './difference.ts';
import { ownsLifetime } from './entitlement.ts';
import { type Facts, reduce } from './facts.ts';
import { type AllowanceGrant, compareInvoices, mergeGrant } from './grant.ts';
import { IMPORTED } from './imported.ts';
import type { ProviderView, ToldFact } from './provider-view.ts';
import { sameState } from './subscription.ts';
import type { SubscriptionState } from './subscription-fact.ts';
import { endingOf, isTerminal } from './subscription-fact.ts';

/**
 * Where the facts and the provider's present state do not agree, with the facts that would mend it. Facts only
 * grow: what the provider no longer shows, or never had, is reported and left to a person.
 *
 * @param ticket taken before the provider was asked; 0 where nothing will be applied
 */
export function compareWithProvider(facts: Facts, view: ProviderView, ticket: number): readonly Difference[] {
  return [
    ...compareCustomers(facts, view),
    ...compareSubscriptions(facts, view, ticket),
    ...compareWithLifetime(facts, view),
    ...comparePurchases(facts, view),
    ...compareDisputes(facts, view),
    ...compareAllowances(facts, view),
  ];
}

function compareCustomers(facts: Facts, view: ProviderView): readonly Difference[] {
  return view.customers.flatMap(({ id, deleted }): readonly Difference[] => {
    const known = facts.customers[id];
    if (!deleted || known === undefined || known.deleted) return [];
    const fact = { kind: 'customer_deleted', at: known.at } as const;
    const repair = { kind: 'facts', facts: [{ customer: id, fact }] } as const;
    return [{ kind: 'customer', about: id, here: 'exists', should: 'deleted', repair }];
  });
}

function compareSubscriptions(facts: Facts, view: ProviderView, ticket: number): readonly Difference[] {
  const changed = view.subscriptions.flatMap(({ id, customer, state }): readonly Difference[] => {
    const known = facts.subscriptions[id];
    if (known !== undefined && agrees(known.state, state)) return [];
    const at = known?.at ?? 0;
    const fact = {
      kind: 'subscription_asked',
      subscription: id,
      state,
      ticket,
      over: known ?? null,
      at,
    } as const;
    return [
      {
        kind: 'subscription',
        about: id,
        here: known === undefined ? 'not known' : describeState(known.state),
        should: describeState(state),
        repair: { kind: 'facts', facts: [{ customer, fact }] },
      },
    ];
  });
  const listed = new Set(view.subscriptions.map(({ id }) => id));
  const unknown = Object.entries(facts.subscriptions).flatMap(([id, { state }]): readonly Difference[] => {
    if (listed.has(id) || isTerminal(state)) return [];
    const why = 'the provider does not list it; look it up there';
    const here = describeState(state);
    return [{ kind: 'subscription', about: id, here, should: 'not listed', repair: { kind: 'none', why } }];
  });
  return [...changed, ...unknown];
}

/** A subscription that would charge the owner of a lifetime plan again: its end failed, or was taken back. */
function compareWithLifetime(facts: Facts, { subscriptions }: ProviderView): readonly Difference[] {
  if (!ownsLifetime(facts)) return [];
  return subscriptions.flatMap(({ id, state }): readonly Difference[] => {
    if (endingOf(state) === null) return [];
    const repair = { kind: 'end', subscription: id } as const;
    const here = `lifetime, beside ${describeState(state)}`;
    return [{ kind: 'subscription', about: id, here, should: 'ended by the lifetime plan', repair }];
  });
}

/** Two that ended say the same, whatever else stands in them. */
function agrees(known: SubscriptionState, now: SubscriptionState): boolean {
  if (isTerminal(known)) return known.status === now.status || !isTerminal(now);
  return sameState(known, now) && (known.trialed || !now.trialed);
}

function describeState({ status, cancel, lookupKey, periodEnd }: SubscriptionState): string {
  const until = periodEnd === null ? '' : ` to ${new Date(periodEnd).toISOString().slice(0, 16)}Z`;
  return `${status}${cancel ? ', ends' : ''}, ${lookupKey ?? 'no lookup key'}${until}`;
}

/** Only the newest invoice of a subscription counts; one that ended still says that credits were in use. */
function compareAllowances(facts: Facts, view: ProviderView): readonly Difference[] {
  const newest = new Map<string, { readonly told: ToldFact; readonly grant: AllowanceGrant }>();
  for (const told of view.allowances) {
    const { fact } = told;
    if (fact.kind !== 'allowance_paid') continue;
    const grant = mergeGrant(undefined, fact);
    const before = newest.get(fact.subscription);
    if (before === undefined || compareInvoices(before.grant, grant) < 0)
      newest.set(fact.subscription, { told, grant });
  }
  return [...newest].flatMap(([subscription, { told, grant }]): readonly Difference[] => {
    const known = facts.grants[subscription];
    const reduced = reduce(facts, told.fact, told.customer);
    if (reduced.kind === 'undecidable' || reduced.facts.grants[subscription]?.invoice === known?.invoice)
      return [];
    return [
      {
        kind: 'allowance',
        about: grant.invoice,
        here: describeGrant(known ?? facts.grants[IMPORTED]),
        should: describeGrant(grant),
        repair: { kind: 'facts', facts: [told] },
      },
    ];
  });
}

function describeGrant(grant: AllowanceGrant | undefined): string {
  if (grant === undefined) return 'none';
  return `${grant.credits} credits from ${new Date(grant.periodStart).toISOString().slice(0, 10)}`;
}
