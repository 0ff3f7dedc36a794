import type { Millis } from '@extension-billing/contract/customer';
import { isOver } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import { isMissing, isRefusedRequest } from './client.ts';

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

/**
 * Ends what could still charge a customer: every open checkout is closed, packs too, and every subscription is
 * cancelled at once, without a refund. The customer itself stays, with its invoices. Answers how many subscriptions
 * this call ended; a second call finds none.
 *
 * @throws the provider's error where something could not be ended and is not known to be over
 */
export async function endCustomer(stripe: Stripe, customer: string): Promise<number> {
  try {
    return await endAll(stripe, customer);
  } catch (error) {
    // A customer that the provider never had, under this key at least, has nothing that could charge.
    if (isUnknownCustomer(error)) return 0;
    throw error;
  }
}

async function endAll(stripe: Stripe, customer: string): Promise<number> {
  for await (const { id } of stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 })) {
    const isClosed = async () => (await stripe.checkout.sessions.retrieve(id)).status !== 'open';
    await unlessOver(stripe.checkout.sessions.expire(id), isClosed);
  }
  let ended = 0;
  for await (const { id, status } of stripe.subscriptions.list({ customer, status: 'all', limit: 100 })) {
    if (isOver(status)) continue;
    const hasEnded = async () => isOver((await stripe.subscriptions.retrieve(id)).status);
    if (await unlessOver(stripe.subscriptions.cancel(id), hasEnded)) ended += 1;
  }
  return ended;
}

/**
 * False where it had ended by itself, or by another request, since it was listed. The provider has one error for that
 * and for everything else that it refuses, so it is asked: what it refused to end may still charge.
 */
async function unlessOver(ending: Promise<unknown>, hasEnded: () => Promise<boolean>): Promise<boolean> {
  try {
    await ending;
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (isRefusedRequest(error) && (await hasEnded())) return false;
    throw error;
  }
}
