import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { offerOf } from '@extension-billing/contract/catalog';
import { Stripe } from 'stripe';
import { type Purchase, readMetadata, writeMetadata } from '../../functions/src/stripe/fields.ts';
import { LISTED_TYPES } from '../../functions/src/stripe/pages.ts';
import type { Account } from '../../packages/cli/src/local/account.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import type { BuyerDriver, ProviderDriver } from './targets.ts';

const DAY = 86_400;
const CARDS = { pays: 'pm_card_visa', 'is declined': 'pm_card_chargeCustomerFail' } as const;
const PATIENCE_MS = 120_000;

/**
 * Stripe in test mode: each user on a test clock of their own. A hosted page cannot be clicked from here, so plans,
 * payments and sessions are made through the API with the metadata that the service's checkout writes, and the
 * events are fetched and signed here (EventForwarder). One event is made up: that of a completed one-time session.
 *
 * @param look how long to wait between two looks, in milliseconds
 */
export function stripeDriver(
  stripe: Stripe,
  webhook: { readonly url: string; readonly secret: string },
  look = 1_000,
): ProviderDriver {
  const begin = async ({ uid }: Account): Promise<BuyerDriver> => {
    const started = Math.floor(Date.now() / 1000);
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: started, name: uid });
    let now = started;
    const { id: customer } = await stripe.customers.create({
      metadata: { uid },
      test_clock: clock.id,
      payment_method: CARDS.pays,
      invoice_settings: { default_payment_method: CARDS.pays },
    });
    const forwarder = new EventForwarder(stripe, webhook, customer);
    let lastPayment = '';

    const advanceTo = async (time: number): Promise<void> => {
      await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: time });
      for (;;) {
        const { status } = await stripe.testHelpers.testClocks.retrieve(clock.id);
        if (status === 'ready') break;
        if (status === 'internal_failure') throw new Error(`Stripe could not advance the clock ${clock.id}.`);
        await sleep(look);
      }
      now = time;
    };
    const subscription = async (): Promise<Stripe.Subscription> => {
      const { data } = await stripe.subscriptions.list({ customer, limit: 1 });
      if (data[0] === undefined) throw new Error(`Customer ${customer} has no subscription.`);
      return data[0];
    };

    return {
      async buy(lookupKey) {
        const offer = offerOf(catalog, lookupKey);
        const [price] = (await stripe.prices.list({ lookup_keys: [lookupKey], active: true })).data;
        if (offer === undefined || price === undefined) throw new Error(`Nothing is sold as ${lookupKey}.`);
        const { credits = 0, monthlyCredits = 0 } = readMetadata(price.metadata);
        const purchase: Purchase = {
          uid,
          kind: offer.kind,
          lookupKey,
          priceId: price.id,
          credits,
          monthlyCredits,
        };
        const metadata = writeMetadata(purchase);
        if (offer.kind === 'subscription') {
          const before = await stripe.subscriptions.list({ customer, status: 'all', limit: 1 });
          const trial = offer.trial && before.data.length === 0;
          await stripe.subscriptions.create({
            customer,
            items: [{ price: price.id }],
            metadata,
            ...(trial ? { trial_period_days: catalog.trialDays } : {}),
          });
          return;
        }
        const session = await stripe.checkout.sessions.create({
          mode: 'payment',
          line_items: [{ price: price.id, quantity: 1 }],
          customer,
          client_reference_id: uid,
          metadata,
          payment_intent_data: { metadata },
          success_url: 'https://example.com/billing/success',
        });
        const paid = await stripe.paymentIntents.create({
          amount: session.amount_total ?? 0,
          currency: session.currency ?? 'usd',
          customer,
          payment_method: CARDS.pays,
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          confirm: true,
          metadata,
        });
        lastPayment = paid.id;
        await stripe.checkout.sessions.expire(session.id);
        const completed = { status: 'complete', payment_status: 'paid', payment_intent: paid.id } as const;
        await forwarder.deliverMadeUp('checkout.session.completed', { ...session, ...completed });
      },
      /** Stripe moves a clock by two intervals at most; a month at a time is within that for every plan. */
      async advanceDays(days) {
        const until = now + days * DAY;
        while (now < until) await advanceTo(Math.min(now + 30 * DAY, until));
      },
      async cancelAtPeriodEnd() {
        await stripe.subscriptions.update((await subscription()).id, { cancel_at_period_end: true });
      },
      async refund(amount) {
        await stripe.refunds.create({
          payment_intent: lastPayment,
          ...(amount === undefined ? {} : { amount }),
        });
      },
      async putCard(card) {
        const { id } = await stripe.paymentMethods.attach(CARDS[card], { customer });
        await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
      },
      async payOpenInvoice() {
        const { data } = await stripe.invoices.list({ customer, status: 'open', limit: 1 });
        if (data[0] === undefined) throw new Error(`Customer ${customer} has no open invoice.`);
        await stripe.invoices.pay(data[0].id);
      },
      async deliverUntil(holds) {
        const deadline = Date.now() + PATIENCE_MS;
        for (;;) {
          await forwarder.deliverNew();
          if (await holds()) return;
          if (Date.now() > deadline) throw new Error(`It did not come to hold in ${PATIENCE_MS / 1000} s.`);
          await sleep(look);
        }
      },
      async end() {
        await stripe.testHelpers.testClocks.del(clock.id);
      },
    };
  };
  return { provider: 'stripe', begin };
}

/** How many events back to look: those of one scenario are few, and their times are the clock's, not ours. */
const LOOK_BACK = 300;

/**
 * Brings one customer's events to the service: fetched from the provider, signed here with the service's own
 * secret. So no tunnel is needed, and nothing but the service's usual endpoint is used.
 */
class EventForwarder {
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
    for (const types of LISTED_TYPES) {
      let looked = 0;
      for await (const event of this.#stripe.events.list({ types: [...types], limit: 100 })) {
        if (!this.#delivered.has(event.id) && isAbout(event, this.#customer)) found.push(event);
        looked += 1;
        if (looked === LOOK_BACK) break;
      }
    }
    for (const event of found.reverse().sort((a, b) => a.created - b.created)) {
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
