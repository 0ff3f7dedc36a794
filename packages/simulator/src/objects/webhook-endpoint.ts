import type Stripe from 'stripe';
import { newId } from '../state/ids.ts';

export function makeWebhookEndpoint(
  now: number,
  given: {
    url: string;
    enabledEvents: string[];
    apiVersion: string | null;
    description: string | null;
    metadata: Record<string, string>;
  },
): Stripe.WebhookEndpoint {
  return {
    id: newId('we'),
    object: 'webhook_endpoint',
    api_version: given.apiVersion,
    application: null,
    created: now,
    description: given.description,
    enabled_events: given.enabledEvents,
    livemode: false,
    metadata: given.metadata,
    status: 'enabled',
    url: given.url,
  };
}
