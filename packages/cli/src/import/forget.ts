import { type Facts, IMPORTED } from '../../../../functions/src/events/facts.ts';

/** What an import had brought: ids of Stripe's objects, purchases as the facts name them. */
export interface Brought {
  readonly subscriptions: ReadonlySet<string>;
  readonly purchases: ReadonlySet<string>;
}

/** What an earlier record said that had nothing. */
const NOTHING = {
  ...{ paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null },
  ...{ customerId: null, trialUsed: false },
};

/**
 * The facts without what an import had brought. Grants by hand are revoked instead: what was given stays known. So does
 * what was spent, by purchase and by invoice: a later import brings the rest. A trial that was used stays used.
 */
export function forget(facts: Facts, { subscriptions, purchases }: Brought): Facts {
  const others = without(subscriptions);
  const disputed = Object.entries(facts.disputedInvoices).filter(
    ([, { subscription }]) => !subscriptions.has(subscription),
  );
  const invoices = Object.entries(facts.grants).flatMap(([id, { invoice }]) =>
    subscriptions.has(id) ? [invoice] : [],
  );
  const isTrialUsed = Object.entries(facts.subscriptions).some(
    ([id, { state }]) => subscriptions.has(id) && state.trialed,
  );
  return {
    ...facts,
    ...(isTrialUsed && { imported: { ...(facts.imported ?? NOTHING), trialUsed: true } }),
    ...(invoices.length > 0 && { undone: [...new Set([...(facts.undone ?? []), ...invoices])] }),
    subscriptions: others(facts.subscriptions),
    grants: others(facts.grants),
    planCredits: others(facts.planCredits),
    planned: others(facts.planned),
    disputedInvoices: Object.fromEntries(disputed),
    purchases: without(purchases)(facts.purchases),
  };
}

/** Whether anything was bought here. What the daily comparison saw beside it at Stripe has no tag, and is not. */
export function hasOwn(facts: Facts, brought: Brought): boolean {
  const { subscriptions, purchases } = forget(facts, brought);
  const isTagged = Object.values(subscriptions).some(({ state }) => state.tagged === true);
  return isTagged || Object.keys(purchases).some((id) => id !== IMPORTED);
}

/** The facts without these customers of Stripe's. */
export function forgetCustomers(facts: Facts, customers: ReadonlySet<string>): Facts {
  return { ...facts, customers: without(customers)(facts.customers) };
}

function without(ids: ReadonlySet<string>) {
  return <Value>(map: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(map).filter(([id]) => !ids.has(id)));
}
