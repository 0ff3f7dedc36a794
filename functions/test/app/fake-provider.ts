import { setTimeout as sleep } from 'node:timers/promises';
import { offersOf } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';

type SessionParams = Stripe.Checkout.SessionCreateParams;

export interface FakeSession {
  readonly id: string;
  readonly url: string;
  readonly expires_at: number;
  status: 'open' | 'complete' | 'expired';
  readonly mode: string;
  readonly customer: string | undefined;
  readonly params: SessionParams;
  subscription: { status: string } | null;
  readonly metadata: SessionParams['metadata'];
  payment_status: 'unpaid' | 'paid';
  payment_intent: { status: string; latest_charge: { refunded: boolean; disputed: boolean } } | null;
}

/** As the SDK throws it. */
export function providerError(type: string, fields: Readonly<Record<string, unknown>> = {}): Error {
  return Object.assign(new Error(`the provider says ${type}`), { type, ...fields });
}

/**
 * A provider in memory with what a checkout touches: prices, customers, sessions, idempotency keys. It is
 * slow by a few milliseconds, so that requests at once really overlap, and counts its calls.
 */
export class FakeProvider {
  readonly calls: string[] = [];
  readonly customers = new Map<string, { readonly id: string }>();
  readonly sessions = new Map<string, FakeSession>();
  /** Errors to throw before the next calls of an operation are carried out. */
  readonly failures = new Map<string, Error[]>();
  #answered = new Map<string, Promise<unknown>>();
  readonly #run = crypto.randomUUID().slice(0, 8);

  get stripe(): () => Promise<Stripe> {
    const client = {
      prices: { list: this.#listPrices },
      customers: { create: this.#createCustomer },
      checkout: {
        sessions: {
          create: this.#createSession,
          expire: this.#expireSession,
          retrieve: this.#retrieveSession,
          list: this.#listSessions,
        },
      },
      billingPortal: { sessions: { create: this.#createPortal } },
    };
    return async () => client as unknown as Stripe;
  }

  get open(): readonly FakeSession[] {
    return [...this.sessions.values()].filter(({ status }) => status === 'open');
  }

  /** What happens at the hosted page when the buyer pays. */
  complete(sessionId: string, status: string): void {
    const session = this.sessions.get(sessionId);
    if (session?.status !== 'open') throw new Error('only an open session can be completed');
    session.status = 'complete';
    session.payment_status = 'paid';
    if (session.mode === 'subscription') session.subscription = { status };
    else session.payment_intent = { status, latest_charge: { refunded: false, disputed: false } };
  }

  failNext(operation: string, ...errors: readonly Error[]): void {
    this.failures.set(operation, [...errors]);
  }

  /** The next call of an operation is carried out, and fails on the way back. */
  loseAnswer(operation: string, error: Error): void {
    this.#lost.set(operation, error);
  }

  readonly #lost = new Map<string, Error>();

  async #call<Answer>(operation: string, answer: () => Answer): Promise<Answer> {
    this.calls.push(operation);
    await sleep(10);
    const failure = this.failures.get(operation)?.shift();
    if (failure !== undefined) throw failure;
    const answered = answer();
    const lost = this.#lost.get(operation);
    this.#lost.delete(operation);
    if (lost !== undefined) throw lost;
    return answered;
  }

  #once<Answer>(key: string | undefined, make: () => Promise<Answer>): Promise<Answer> {
    if (key === undefined) throw new Error('this call needs an idempotency key');
    const answered = this.#answered.get(key) ?? make();
    this.#answered.set(key, answered);
    // Like Stripe, it remembers its own failures, and cannot remember what never reached it.
    answered.catch((error: { type?: string }) => {
      if (error.type !== 'StripeAPIError') this.#answered.delete(key);
    });
    return answered as Promise<Answer>;
  }

  readonly #listPrices = ({ lookup_keys: lookupKeys = [] }: Stripe.PriceListParams) =>
    this.#call('prices.list', () => ({ data: lookupKeys.flatMap((lookupKey) => priceOf(lookupKey)) }));

  readonly #createCustomer = (_params: object, { idempotencyKey }: Stripe.RequestOptions) =>
    this.#once(idempotencyKey, () =>
      this.#call('customers.create', () => {
        const customer = { id: `cus_${this.#run}_${this.customers.size + 1}` };
        this.customers.set(customer.id, customer);
        return customer;
      }),
    );

  readonly #createSession = (params: SessionParams, { idempotencyKey }: Stripe.RequestOptions) =>
    this.#once(idempotencyKey, () =>
      this.#call('sessions.create', () => {
        const { customer } = params;
        if (customer === undefined || !this.customers.has(customer)) {
          throw providerError('StripeInvalidRequestError', { code: 'resource_missing', param: 'customer' });
        }
        const id = `cs_${this.#run}_${this.sessions.size + 1}`;
        const session: FakeSession = {
          id,
          url: `https://provider.test/${id}`,
          expires_at: Math.floor(Date.now() / 1000) + 86_400,
          status: 'open',
          mode: params.mode ?? 'payment',
          customer,
          params,
          subscription: null,
          metadata: params.metadata,
          payment_status: 'unpaid',
          payment_intent: null,
        };
        this.sessions.set(id, session);
        return session;
      }),
    );

  readonly #expireSession = (id: string) =>
    this.#call('sessions.expire', () => {
      const session = this.sessions.get(id);
      if (session?.status !== 'open') throw providerError('StripeInvalidRequestError');
      session.status = 'expired';
      return session;
    });

  readonly #retrieveSession = (id: string) =>
    this.#call('sessions.retrieve', () => {
      const session = this.sessions.get(id);
      if (session === undefined) throw providerError('StripeInvalidRequestError');
      return session;
    });

  readonly #listSessions = ({ customer }: Stripe.Checkout.SessionListParams) =>
    this.#call('sessions.list', () => ({
      // The newest first, as the provider lists them.
      data: this.open.filter((session) => session.customer === customer).reverse(),
    }));

  readonly #createPortal = ({ customer }: Stripe.BillingPortal.SessionCreateParams) =>
    this.#call('portal.create', () => ({ url: `https://provider.test/portal/${customer}` }));
}

/** The price that the tests' catalogue has under a lookup key; none where it sells nothing under it. */
function priceOf(lookupKey: string): readonly object[] {
  const offer = offersOf(testCatalog).find((candidate) => candidate.lookupKey === lookupKey);
  if (offer === undefined) return [];
  const metadata =
    offer.kind === 'pack'
      ? { credits: String(offer.credits) }
      : offer.credits !== null
        ? { monthly_credits: String(offer.credits.amount) }
        : {};
  const recurring = offer.kind === 'subscription' ? { interval: offer.interval } : null;
  const { amount: unit_amount, currency } = offer;
  return [{ id: `price_${lookupKey}`, lookup_key: lookupKey, recurring, metadata, unit_amount, currency }];
}
