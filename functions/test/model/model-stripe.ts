import { Stripe } from 'stripe';
import { MODEL_PLANS, type PlanName } from './catalog.ts';
import type { ProviderModel } from './provider-model.ts';
import { chargeObject, chargeOf, invoiceChargeOf } from './stripe-objects.ts';
import { ADD_ON, priceObject, subscriptionObject, subscriptionWithPhases } from './stripe-subscriptions.ts';

/** How the provider answers a GET. `older`: from a replica that has not seen the last changes. */
export type Mood = 'well' | 'slow' | 'failing' | 'older';

const TERMINAL: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** An error as the SDK throws it. */
class ProviderError extends Error {
  readonly type: string;
  readonly code: string | undefined;
  readonly statusCode: number;

  constructor(type: string, statusCode: number, code?: string) {
    super(`the provider answers ${statusCode}`);
    this.type = type;
    this.statusCode = statusCode;
    this.code = code;
  }
}

/**
 * The provider's side of a GET, for any number of customers: it answers the truth as of the moment that the
 * test chose, counts what it is asked, and can be slow, failing or behind.
 */
export class ModelStripe {
  /** What was asked before the event in hand was stored; a look before something is ended moves no fact. */
  readonly gets: string[] = [];
  isStored: (uid: string) => boolean | Promise<boolean> = () => false;
  /** Subscriptions that the service ended. */
  readonly ended = new Set<string>();
  mood: Mood = 'well';
  /** How long a slow provider takes. */
  wait: () => Promise<void> = async () => {};
  readonly #providers = new Map<string, ProviderModel>();
  readonly #presents = new Map<string, number>();

  /** From now on this customer's GETs answer as of change `present`. */
  at(provider: ProviderModel, present: number): void {
    this.#providers.set(provider.uid, provider);
    this.#presents.set(provider.uid, present);
  }

  get stripe(): () => Promise<Stripe> {
    const client = {
      webhooks: Stripe.webhooks,
      subscriptions: {
        retrieve: (id: string, how?: { readonly expand: readonly string[] }) =>
          how === undefined
            ? this.#answer(id, (provider) => this.#subscription(provider, id))
            : this.#answer(id, (provider) => this.#withPhases(provider, id), 'aside'),
        update: (id: string, { metadata }: { metadata?: object } = {}) =>
          metadata === undefined
            ? this.#end(id)
            : this.#answer(id, (provider) => provider.subscriptions.get(id), 'aside'),
        cancel: (id: string) => this.#end(id),
        list: ({ customer }: { customer: string }) => this.#list(customer),
      },
      prices: { retrieve: async (id: string) => this.#price(id) },
      invoices: {
        listLineItems: (id: string) => this.#lines(id),
        retrieve: (id: string) => this.#answer(id, (provider) => provider.invoices.get(id)),
      },
      invoicePayments: {
        list: ({ payment }: { payment: { payment_intent: string } }) =>
          this.#answer(payment.payment_intent, (provider) => invoicePaidBy(provider, payment.payment_intent)),
      },
      charges: { retrieve: (id: string) => this.#answer(id, (provider) => charge(provider, id)) },
      paymentIntents: {
        retrieve: (id: string) => this.#answer(id, (provider) => paymentIntent(provider, id)),
      },
    };
    return async () => client as unknown as Stripe;
  }

  async #price(id: string) {
    this.gets.push(id);
    if (this.mood === 'failing') throw new ProviderError('StripeAPIError', 500);
    const plan = Object.keys(MODEL_PLANS).find((name): name is PlanName => id === `price_${name}`);
    return plan === undefined ? ADD_ON : priceObject(plan);
  }

  async *#lines(id: string) {
    yield* await this.#answer(id, (provider) => provider.invoices.get(id)?.lines.data);
  }

  /** @param count `aside`: what is asked says nothing of the subscription's own state */
  async #answer<Answer>(
    id: string,
    find: (provider: ProviderModel) => Answer | undefined,
    count: 'as a get' | 'aside' = 'as a get',
  ): Promise<Answer> {
    const uid = id.split('_')[1] ?? '';
    const isStored = this.isStored(uid);
    const isLate = typeof isStored === 'boolean' ? isStored : await isStored;
    if (!isLate && count === 'as a get') this.gets.push(id);
    if (this.mood === 'failing') throw new ProviderError('StripeAPIError', 500);
    const provider = this.#providers.get(uid);
    const found = provider === undefined ? undefined : find(provider);
    // Found first, sent late: what it says may be old by the time it is read.
    if (this.mood === 'slow') await this.wait();
    if (found !== undefined) return found;
    throw new ProviderError('StripeInvalidRequestError', 404, 'resource_missing');
  }

  /** Histories are fixed, so what is ended here goes on in them: only that it was asked for is kept. */
  async #end(id: string) {
    const provider = this.#providers.get(id.split('_')[1] ?? '');
    const now = provider && this.#now(provider, id);
    if (this.mood === 'failing') throw new ProviderError('StripeAPIError', 500);
    if (provider === undefined || now === undefined || TERMINAL.has(now.status)) {
      throw new ProviderError('StripeInvalidRequestError', 404, 'resource_missing');
    }
    this.ended.add(id);
    return subscriptionObject(provider.uid, now);
  }

  async *#list(customer: string) {
    if (this.mood === 'failing') throw new ProviderError('StripeAPIError', 500);
    const provider = this.#providers.get(customer.split('_')[1] ?? '');
    for (const id of provider?.subscriptions.keys() ?? []) {
      const now = provider && this.#now(provider, id);
      if (provider !== undefined && now?.customer === customer && !TERMINAL.has(now.status))
        yield subscriptionObject(provider.uid, now);
    }
  }

  /** As of the present; one that was there before the history began is told of late, or never. */
  #now(provider: ProviderModel, id: string) {
    const known = provider.subscriptionAt(id, this.#presents.get(provider.uid) ?? -1);
    if (known !== undefined) return known;
    const first = provider.changes.find(
      ({ telling }) => telling.tells === 'subscription' && telling.state.id === id,
    );
    if (first === undefined) return provider.subscriptions.get(id);
    if (first.event.type === 'customer.subscription.created') return undefined;
    return firstStateOf(provider, id);
  }

  #withPhases(provider: ProviderModel, id: string) {
    const now = provider.subscriptionAt(id, this.#presents.get(provider.uid) ?? -1);
    return now && subscriptionWithPhases(provider.uid, now);
  }

  #subscription(provider: ProviderModel, id: string) {
    const present = this.#presents.get(provider.uid) ?? -1;
    const now = provider.subscriptionAt(id, present);
    if (this.mood !== 'older' || now === undefined) return now && subscriptionObject(provider.uid, now);
    return subscriptionObject(provider.uid, firstStateOf(provider, id) ?? now);
  }
}

/** What a replica that is far behind still says. */
function firstStateOf(provider: ProviderModel, id: string) {
  for (const { telling } of provider.changes) {
    if (telling.tells === 'subscription' && telling.state.id === id) return telling.state;
  }
  return undefined;
}

function charge(provider: ProviderModel, id: string) {
  const sale = [...provider.sales.values()].find(({ truth }) => chargeOf(truth) === id);
  if (sale === undefined) return invoiceCharge(provider, id);
  const refunded = sale.refunds.reduce((sum, { amount }) => sum + amount, 0);
  return chargeObject(provider.uid, sale.truth, refunded);
}

/** The charge of a subscription's invoice names nothing but its payment. */
function invoiceCharge(provider: ProviderModel, id: string) {
  const paid = [...provider.paidInvoices.values()].find((one) => invoiceChargeOf(one.id).charge === id);
  if (paid === undefined) return undefined;
  const { paymentIntent: payment_intent } = invoiceChargeOf(paid.id);
  return { id, object: 'charge', amount: paid.amount, customer: paid.customer, metadata: {}, payment_intent };
}

function invoicePaidBy(provider: ProviderModel, intent: string) {
  const paid = [...provider.paidInvoices.keys()].filter((id) => invoiceChargeOf(id).paymentIntent === intent);
  return { object: 'list', data: paid.map((invoice) => ({ object: 'invoice_payment', invoice })) };
}

function paymentIntent(provider: ProviderModel, id: string) {
  const sale = provider.sales.get(id);
  if (sale === undefined) return undefined;
  const { metadata, customer } = chargeObject(provider.uid, sale.truth, 0);
  return { id, object: 'payment_intent', metadata, customer };
}
