import { Stripe } from 'stripe';
import {
  invoicePaid,
  type PostedEvent,
  subscriptionEvent,
} from '../../functions/test/factories/provider-events.ts';
import { send } from './send.ts';

const { webhooks } = new Stripe('sk_test_only_signs_events');

/** A delivery as the provider sends it: the body and its signature. */
export interface Delivery {
  readonly id: string;
  readonly body: string;
  readonly signature: string;
}

export function sign(event: PostedEvent): Delivery {
  const body = JSON.stringify({ object: 'event', api_version: '2026-10-28.endive', ...event });
  const secret = process.env.PAYMENT_WEBHOOK_SECRET ?? '';
  return { id: event.id, body, signature: webhooks.generateTestHeaderString({ payload: body, secret }) };
}

/** Posts a delivery to an instance; what does not come back as applied is a failure. */
export async function deliver(url: string, { body, signature }: Delivery): Promise<void> {
  const answer = await send(`${url}/billing/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  });
  if (!answer.includes('"applied"')) throw new Error(`the webhook answered ${answer}`);
}

const planOf = (uid: string) => ({ uid, subscription: `sub_${uid}` });

/** The event that puts a user on the metered plan. */
export const planBegins = (uid: string): Delivery => sign(subscriptionEvent('created', planOf(uid)));

/** The renewal that replaces the allowance; each later period is a new one. */
export const planRenews = (uid: string, period: number): Delivery =>
  sign(invoicePaid(planOf(uid), { period }));
