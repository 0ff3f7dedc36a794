import type { Stripe } from 'stripe';
import { EVENT_TYPES } from './event-types.ts';

/**
 * Events of our types that at least one endpoint never took, oldest first; the provider keeps 30 days. It does
 * not say which endpoint: where several are registered, some of these may have reached this service all the same.
 */
export async function listUndelivered(stripe: Stripe): Promise<readonly Stripe.Event[]> {
  const events: Stripe.Event[] = [];
  const list = stripe.events.list({ delivery_success: false, types: [...EVENT_TYPES], limit: 100 });
  for await (const event of list) events.push(event);
  return events.reverse();
}
