import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';

/**
 * Makes the provider's customer for a user. Requests at once share one idempotency key and so get the same
 * customer; which customer counts is settled by the store, should the key ever not hold.
 *
 * The provider replays the answer of a key for a day, a failure too, and refuses the key for a user whose address has
 * changed since: then the next try uses a key of the minute. `lost` is a customer that the provider no longer knows, which needs a key of its own as well.
 */
export async function createCustomer(
  stripe: Stripe,
  uid: string,
  now: Millis,
  about: { readonly lost: string | null; readonly project: string | null; readonly email: string | null },
): Promise<string> {
  const { lost, project, email } = about;
  // Another key than that of builds which did not say the project: the provider takes one key for one request.
  const name = project === null ? `customer_${uid}` : `customer_${project}_${uid}`;
  const key = lost === null ? name : `${name}_after_${lost}`;
  const params = {
    metadata: { uid, ...(project !== null && { project }) },
    ...(email !== null && { email }),
  };
  try {
    return (await stripe.customers.create(params, { idempotencyKey: key })).id;
  } catch (error) {
    if (!(error instanceof Error && 'type' in error && KEY_IS_USED_UP.has(error.type))) throw error;
    const minute = Math.floor(now / 60_000);
    return (await stripe.customers.create(params, { idempotencyKey: `${key}_${minute}` })).id;
  }
}

const KEY_IS_USED_UP: ReadonlySet<unknown> = new Set(['StripeAPIError', 'StripeIdempotencyError']);

/** The provider does not know, or no longer has, the customer that it was asked about. */
export function isUnknownCustomer(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'param' in error)) return false;
  return error.code === 'resource_missing' && error.param === 'customer';
}

/** The price was archived or replaced since it was looked up. */
export function isUnknownPrice(error: unknown): boolean {
  if (!(error instanceof Error && 'param' in error && 'type' in error)) return false;
  const { param, type } = error;
  return type === 'StripeInvalidRequestError' && typeof param === 'string' && param.startsWith('line_items');
}
