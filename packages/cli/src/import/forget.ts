import { type Facts, IMPORTED } from '../../../../functions/src/events/facts.ts';

/** What an import had brought: ids of Stripe's objects, purchases as the facts name them. */
export interface Brought {
  readonly subscriptions: ReadonlySet<string>;
  readonly purchases: ReadonlySet<string>;
}

/** The facts without what an import had brought. Grants by hand are revoked instead: what was given stays known. */
export function forget(facts: Facts, { subscriptions, purchases }: Brought): Facts {
  const others = without(subscriptions);
  const disputed = Object.entries(facts.disputedInvoices).filter(
    ([, { subscription }]) => !subscriptions.has(subscription),
  );
  return {
    ...facts,
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
