import type { Stripe } from 'stripe';

/** A subscription in one of these bills no more, whatever happens. */
const OVER: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/**
 * Ends what could still charge a customer: every open checkout is closed, packs too, and every subscription is
 * cancelled at once, without a refund. The customer itself stays, with its invoices. Answers how many subscriptions
 * this call ended; a second call finds none.
 */
export async function endCustomer(stripe: Stripe, customer: string): Promise<number> {
  for await (const { id } of stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 })) {
    await unlessOver(stripe.checkout.sessions.expire(id));
  }
  let ended = 0;
  for await (const { id, status } of stripe.subscriptions.list({ customer, status: 'all', limit: 100 })) {
    if (!OVER.has(status) && (await unlessOver(stripe.subscriptions.cancel(id)))) ended += 1;
  }
  return ended;
}

/** False where it had ended by itself, or by another request, since it was listed. */
async function unlessOver(ending: Promise<unknown>): Promise<boolean> {
  try {
    await ending;
    return true;
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'StripeInvalidRequestError') return false;
    throw error;
  }
}
