/** The events that the service handles: specification, "Events", and the asynchronous half of a checkout. */
export const WEBHOOK_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'charge.refunded',
] as const;

/**
 * Registers the service's webhook with the simulator, as `stripe:setup` does with Stripe.
 *
 * @throws Error with the simulator's answer when it refuses.
 */
export async function registerWebhook(providerUrl: string, secretKey: string, url: string): Promise<void> {
  const form = new URLSearchParams({ url });
  for (const event of WEBHOOK_EVENTS) form.append('enabled_events[]', event);
  const response = await fetch(`${providerUrl}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: form,
  });
  if (response.ok) return;
  const answer = await response.text();
  throw new Error(`The simulator refused the webhook endpoint (${response.status}): ${answer}`);
}
