import { isOver } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import { isUnknownCustomer } from './customers.ts';
import { isMissing, isRefusedRequest } from './failure.ts';

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
