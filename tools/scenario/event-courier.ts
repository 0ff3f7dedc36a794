import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { EVENT_TYPES } from '../../functions/src/stripe/translate.ts';

/** How many events back to look: those of one scenario are few, and their times are the clock's, not ours. */
const LOOK_BACK = 300;

/**
 * Brings one customer's events to the service: fetched from the provider, signed here with the service's own
 * secret. So no tunnel is needed, and nothing but the service's usual endpoint is used.
 */
export class EventCourier {
  readonly #stripe: Stripe;
  readonly #webhook: { readonly url: string; readonly secret: string };
  readonly #customer: string;
  readonly #delivered = new Set<string>();

  constructor(stripe: Stripe, webhook: { readonly url: string; readonly secret: string }, customer: string) {
    this.#stripe = stripe;
    this.#webhook = webhook;
    this.#customer = customer;
  }

  /** Delivers what is new, oldest first. @throws Error when the service refuses one. */
  async deliverNew(): Promise<void> {
    const found: Stripe.Event[] = [];
    const types = [...EVENT_TYPES];
    let looked = 0;
    for await (const event of this.#stripe.events.list({ types, limit: 100 })) {
      if (!this.#delivered.has(event.id) && isAbout(event, this.#customer)) found.push(event);
      looked += 1;
      if (looked === LOOK_BACK) break;
    }
    for (const event of found.reverse()) {
      await this.#post(event);
      this.#delivered.add(event.id);
    }
  }

  /** Delivers an event that the provider did not make, around an object that it did. */
  async deliverMadeUp(type: 'checkout.session.completed', object: Stripe.Checkout.Session): Promise<void> {
    await this.#post({
      id: `evt_${randomUUID().replaceAll('-', '')}`,
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: Math.floor(Date.now() / 1000),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: null,
      type,
    });
  }

  async #post(event: object): Promise<void> {
    const body = JSON.stringify(event);
    const signature = this.#stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret: this.#webhook.secret,
    });
    const response = await fetch(this.#webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body,
    });
    if (!response.ok) throw new Error(`The service answered ${response.status} to an event.`);
  }
}

function isAbout(event: Stripe.Event, customer: string): boolean {
  const { object } = event.data;
  if ('customer' in object && object.customer === customer) return true;
  return 'id' in object && object.id === customer;
}
