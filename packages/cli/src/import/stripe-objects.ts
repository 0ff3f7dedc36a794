import type { Stripe } from 'stripe';
import { isNotFound } from '../../../../functions/src/stripe/client.ts';
import { idOf, readInstant } from '../../../../functions/src/stripe/fields.ts';
import { costName, type SourcePrice } from './mapping.ts';

/** What Stripe has of one customer, as far as an import may take it over. */
export interface SeenCustomer {
  readonly customer: Stripe.Customer;
  readonly subscriptions: readonly Stripe.Subscription[];
  /** One-time payments that went through. */
  readonly payments: readonly SeenPayment[];
  /** Payment intents of all their charges, also those of invoices and those that were declined. */
  readonly intents: ReadonlySet<string | null>;
}

export interface SeenPayment {
  readonly charge: Stripe.Charge;
  readonly price: SourcePrice;
  /** A dispute that is open or lost keeps the money. */
  readonly isWithheld: boolean;
}

/** A one-time payment at a checkout page that made no customer. */
export interface GuestPayment {
  readonly mail: string;
  /** Payment intent. */
  readonly payment: string;
  readonly price: SourcePrice;
}

/**
 * A customer with all that they bought. Null: Stripe does not know it under this key, or it was deleted there.
 *
 * @throws the SDK's error where Stripe cannot be asked
 */
export async function lookAtCustomer(stripe: Stripe, id: string): Promise<SeenCustomer | null> {
  const customer = await found(() => stripe.customers.retrieve(id));
  if (customer === null || customer.deleted === true) return null;
  const [subscriptions, sessions, charges] = await Promise.all([
    gather(stripe.subscriptions.list({ customer: id, status: 'all', limit: 100 })),
    gather(stripe.checkout.sessions.list({ customer: id, status: 'complete', limit: 100 })),
    gather(stripe.charges.list({ customer: id, limit: 100 })),
  ]);
  const payments: SeenPayment[] = [];
  for (const charge of charges.filter(({ paid, status }) => paid && status === 'succeeded')) {
    const intent = idOf(charge.payment_intent);
    const session = sessions.find((each) => intent !== null && idOf(each.payment_intent) === intent);
    const isWithheld = await hasLost(stripe, charge);
    if (session !== undefined)
      payments.push({ charge, price: await priceSoldAt(stripe, session, charge), isWithheld });
    // Who has no subscription has no invoice of one.
    else if (subscriptions.length === 0 || !(await isOfInvoice(stripe, intent)))
      payments.push({ charge, price: priceOfAmount(charge), isWithheld });
  }
  const intents = new Set(charges.map((charge) => idOf(charge.payment_intent)));
  return { customer, subscriptions, payments, intents };
}

/** What a source names that may be Stripe's: whether Stripe has it under this key. */
export async function isAtStripe(stripe: Stripe, id: string): Promise<boolean> {
  if (id.startsWith('sub_')) return (await found(() => stripe.subscriptions.retrieve(id))) !== null;
  return (await found(() => stripe.paymentIntents.retrieve(id))) !== null;
}

/** Paid pages that made no customer: nothing but their mail address says whose they are. What was given back is none. */
export async function listGuestPayments(stripe: Stripe): Promise<readonly GuestPayment[]> {
  const payments: GuestPayment[] = [];
  for await (const session of stripe.checkout.sessions.list({ status: 'complete', limit: 100 })) {
    const mail = session.customer_details?.email ?? null;
    const intent = idOf(session.payment_intent);
    if (session.mode !== 'payment' || idOf(session.customer) !== null || mail === null || intent === null)
      continue;
    const { data } = await stripe.charges.list({ payment_intent: intent, limit: 100 });
    const charge = data.find(({ paid, status }) => paid && status === 'succeeded');
    if (charge === undefined || charge.refunded || (await hasLost(stripe, charge))) continue;
    payments.push({ mail, payment: intent, price: await priceSoldAt(stripe, session, charge) });
  }
  return payments;
}

/** What a subscription is billed for; of several items the first, as the sources read it. */
export function priceOfSubscription({ items }: Stripe.Subscription): SourcePrice | null {
  const price = items.data[0]?.price;
  return price === undefined ? null : readPrice(price);
}

/** A price of Stripe's, named by its id, its lookup key, its nickname and its product. */
export function readPrice(price: Stripe.Price): SourcePrice {
  const { id, lookup_key, nickname, product, recurring, currency, unit_amount } = price;
  const cost = {
    interval: recurring?.interval ?? 'once',
    count: recurring?.interval_count ?? 1,
    currency,
    amount: unit_amount,
  } as const;
  const names = [id, lookup_key, nickname, idOf(product), costName(cost)];
  return { names: names.filter((name) => name !== null), ...cost };
}

async function priceSoldAt(
  stripe: Stripe,
  session: Stripe.Checkout.Session,
  charge: Stripe.Charge,
): Promise<SourcePrice> {
  const { data } = await stripe.checkout.sessions.listLineItems(session.id, { limit: 1 });
  const price = data[0]?.price ?? null;
  return price === null ? priceOfAmount(charge) : readPrice(price);
}

function priceOfAmount({ amount, currency }: Stripe.Charge): SourcePrice {
  const cost = { interval: 'once', count: 1, currency, amount } as const;
  return { names: [costName(cost)], ...cost };
}

/** `disputed` stays true when the dispute is won; an inquiry (`warning_…`) moves no money. */
async function hasLost(stripe: Stripe, { id, disputed }: Stripe.Charge): Promise<boolean> {
  if (!disputed) return false;
  const disputes = await gather(stripe.disputes.list({ charge: id, limit: 100 }));
  return disputes.some(({ status }) => status !== 'won' && !status.startsWith('warning_'));
}

async function isOfInvoice(stripe: Stripe, intent: string | null): Promise<boolean> {
  if (intent === null) return false;
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: intent },
    limit: 1,
  });
  return data.length > 0;
}

/** The end of what a subscription's newest period pays for; null where Stripe names none. */
export function periodEndOf(subscription: Stripe.Subscription) {
  const ends = subscription.items.data.flatMap((item) => readInstant(item.current_period_end) ?? []);
  return ends.length === 0 ? null : Math.max(...ends);
}

async function gather<Row>(list: AsyncIterable<Row>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of list) rows.push(row);
  return rows;
}

async function found<Thing>(ask: () => Promise<Thing>): Promise<Thing | null> {
  try {
    return await ask();
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
