import type { Firestore, Timestamp } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import { provider } from '../../functions/test/app/suite.ts';
import { aBuyer } from '../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../functions/test/fixtures/simulator.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';

// Many customers at once: one who really bought and spent, copied under other names, with what the provider has of each.

/** One subscriber in so many; the others have spent free credits and nothing more. */
const ONE_PAYER_IN = 33;
const ENTRIES = 3;

/** What the service and the provider have of one subscriber. The names in it are replaced by a copy's own. */
export interface Template {
  readonly uid: string;
  readonly customer: string;
  readonly documents: readonly { readonly path: string; readonly data: object }[];
  /** By the list that shows it: `customers`, `subscriptions`, `invoices`, `sessions`, `charges`. */
  readonly provided: Readonly<Record<string, readonly object[]>>;
}

/** Buys, spends and reads it back: in a running suite. */
export async function makeTemplate(firestore: Firestore): Promise<Template> {
  const buyer = await aBuyer();
  await buyer.buy(sold.metered.lookupKey);
  await simulator.delivered();
  for (let spend = 0; spend < ENTRIES; spend += 1) await buyer.consume(sold.feature);
  const customer = await buyer.customer();
  const stripe = provider();
  const ledger = await firestore.collection(`customers/${buyer.uid}/credit_ledger`).get();
  const paths = [
    `customers/${buyer.uid}`,
    `billing_facts/${buyer.uid}`,
    `provider_customers/${customer}`,
    ...ledger.docs.map(({ ref }) => ref.path),
  ];
  const stored = await firestore.getAll(...paths.map((path) => firestore.doc(path)));
  const [subscriptions, invoices, sessions, charges] = await Promise.all([
    stripe.subscriptions.list({ customer }),
    stripe.invoices.list({ customer, status: 'paid' }),
    stripe.checkout.sessions.list({ customer, status: 'complete' }),
    stripe.charges.list({ customer, expand: ['data.refunds'] }),
  ]);
  return {
    uid: buyer.uid,
    customer,
    documents: stored.map((document) => ({ path: document.ref.path, data: document.data() ?? {} })),
    provided: {
      customers: [await stripe.customers.retrieve(customer)],
      ...{ subscriptions: subscriptions.data, invoices: invoices.data },
      ...{ sessions: sessions.data, charges: charges.data },
    },
  };
}

/** The account of a number; every ONE_PAYER_IN-th is a subscriber. Spread over the ids, as real uids are. */
export function uidOf(number: number): string {
  const spread = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  return `${spread.toString(36).padStart(7, '0')}-seed-${number}`;
}

function isPayer(number: number): boolean {
  return number % ONE_PAYER_IN === 0;
}

/** The provider's ids and the account's are a copy's own; prices and products are everybody's. */
const OWN = /\b(?:cus|sub|si|in|il|cs_test|cs|pi|ch|evt|txn|pm)_\w+/g;

function copierOf({ uid }: Template, number: number) {
  const renamed = (text: string): string =>
    text.replaceAll(OWN, (id) => `${id}n${number}`).replaceAll(uid, uidOf(number));
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return renamed(value);
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null || isTimestamp(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [renamed(name), copy(inner)]));
  };
  return { renamed, copy };
}

function isTimestamp(value: object): value is Timestamp {
  return 'toMillis' in value;
}

/** Writes the accounts from one number up to another. */
export async function seed(
  firestore: Firestore,
  template: Template,
  from: number,
  to: number,
): Promise<void> {
  const writer = firestore.bulkWriter({ throttling: false });
  for (let number = from; number < to; number += 1) {
    const { renamed, copy } = copierOf(template, number);
    // Who pays nothing has a record and spends, and is unknown to the provider.
    const own = isPayer(number)
      ? template.documents
      : template.documents.filter(({ path, data }) => path.startsWith('customers/') && !('eventId' in data));
    for (const { path, data } of own) {
      const copied = copy(data) as Record<string, unknown>;
      const isRecord = path === `customers/${template.uid}`;
      const plain = { ...copied, paid: false, plan: null, status: null, customerId: null };
      void writer.set(firestore.doc(renamed(path)), isRecord && !isPayer(number) ? plain : copied);
    }
    if (number % 500 === 499) await writer.flush();
  }
  await writer.close();
}

/** A list as the SDK answers it: to be awaited, or gone through. */
function listed(data: readonly object[], hasMore = false) {
  const page = { object: 'list', data, has_more: hasMore, url: '' };
  return Object.assign(Promise.resolve(page), {
    async *[Symbol.asyncIterator]() {
      yield* data;
    },
  });
}

/** The provider of so many seeded accounts, in this process: each call is counted, and takes no time. */
export function seededProvider(template: Template, accounts: number) {
  let calls = 0;
  const payers = Math.ceil(accounts / ONE_PAYER_IN);
  const numberOf = (id: string): number => Number(/n(\d+)$/.exec(id)?.[1]);
  const of = (number: number, list: string): readonly object[] =>
    copierOf(template, number).copy(template.provided[list] ?? []) as readonly object[];
  const byCustomer = (list: string) => (params: { readonly customer?: string }) => {
    calls += 1;
    return listed(of(numberOf(params.customer ?? ''), list));
  };
  const stripe = {
    customers: {
      retrieve: async (id: string) => {
        calls += 1;
        return of(numberOf(id), 'customers')[0];
      },
    },
    subscriptions: {
      list(params: Stripe.SubscriptionListParams) {
        if (params.customer !== undefined) return byCustomer('subscriptions')(params);
        calls += 1;
        const first =
          params.starting_after === undefined ? 0 : numberOf(params.starting_after) / ONE_PAYER_IN + 1;
        const end = Math.min(payers, first + (params.limit ?? 10));
        const numbers = Array.from({ length: end - first }, (_, index) => (first + index) * ONE_PAYER_IN);
        return listed(
          numbers.flatMap((number) => of(number, 'subscriptions')),
          end < payers,
        );
      },
    },
    invoices: { list: byCustomer('invoices') },
    checkout: { sessions: { list: byCustomer('sessions') } },
    charges: { list: byCustomer('charges') },
    events: {
      list: () => {
        calls += 1;
        return listed([]);
      },
    },
  };
  return { stripe: stripe as unknown as Stripe, calls: () => calls };
}
