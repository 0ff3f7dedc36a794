/** @typedef {import('./state.d.ts').State} State */
/** @typedef {import('stripe').default.Subscription} Subscription */

/** The id of a field that may be expanded. @param {string | { id: string } | null | undefined} field */
export function idOf(field) {
  return typeof field === 'string' ? field : (field?.id ?? null);
}

/** Objects that belong to the customer, newest first.
 * @template {{ customer?: string | { id: string } | null, created: number }} T
 * @param {readonly T[] | undefined} objects @param {string} customer @returns {T[]}
 */
export function ofCustomer(objects, customer) {
  return newestFirst((objects ?? []).filter((object) => idOf(object.customer) === customer));
}

/** Later times first; of equal times, the one that was made later.
 * @template {{ created: number }} T
 * @param {readonly T[]} objects @returns {T[]}
 */
export function newestFirst(objects) {
  return [...objects].reverse().sort((a, b) => b.created - a.created);
}

/** What the subscription sells, by name. @param {State} state @param {Subscription} subscription */
export function planName(state, subscription) {
  const price = subscription.items.data[0]?.price;
  const product = state.products.find((candidate) => candidate.id === idOf(price?.product));
  return product?.name ?? price?.lookup_key ?? price?.id ?? subscription.id;
}

/** When the running period ends: it is the item's since flexible billing. @param {Subscription} subscription */
export function periodEnd(subscription) {
  return subscription.items.data[0]?.current_period_end ?? null;
}

/**
 * What a customer is called: by mail, else by name, else by id.
 * @param {import('stripe').default.Customer} customer
 */
export function nameOf(customer) {
  return customer.email || customer.name || customer.id;
}

/** The customer that an event's object is or belongs to. @param {import('stripe').default.Event} event */
export function customerOfEvent(event) {
  const object = /** @type {{ id?: string, object?: string, customer?: string | { id: string } | null }} */ (
    event.data.object
  );
  return object.object === 'customer' ? (object.id ?? null) : idOf(object.customer);
}
