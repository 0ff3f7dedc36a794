import { randomUUID } from 'node:crypto';
import { Timestamp } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { Uid } from '../../../functions/src/store/documents.ts';
import { auth, firestore, signUp } from '../../../functions/test/app/emulated-user.ts';
import { provider } from '../../../functions/test/app/suite.ts';
import * as simulator from '../../../functions/test/fixtures/simulator.ts';
import { OF_A_TEST } from '../../../tools/traffic/replay-requests.ts';

// A shop that sold by another service, into the same Stripe account: prices without our keys, objects without our
// metadata, and what that service wrote of them elsewhere, in the shape that its documents and source give.

const stripe = provider();

/** A repeatable sequence of whole numbers below `below` (mulberry32). */
export function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}
type Roll = (below: number) => number;

export type Prices = Awaited<ReturnType<typeof oldPrices>>;

/** What the old shop sells: it costs what the tests' catalogue asks, and nothing else tells that they belong together. */
export async function oldPrices() {
  const product = (await stripe.products.create({ name: 'The old shop' })).id;
  const price = async (unit_amount: number, interval?: 'month' | 'year') =>
    stripe.prices.create({
      ...{ product, currency: 'usd', unit_amount },
      ...(interval !== undefined && { recurring: { interval } }),
    });
  const [monthly, yearly, metered, forGood, donation] = await Promise.all([
    price(900, 'month'),
    price(9000, 'year'),
    price(1900, 'month'),
    price(19900),
    price(300),
  ]);
  return { product, monthly, yearly, metered, forGood, donation };
}

/** A customer of the old shop at Stripe. */
export async function anOldCustomer(metadata: Readonly<Record<string, string>> = {}) {
  const mail = `${randomUUID()}@example.com`;
  const { id } = await stripe.customers.create({
    ...{ email: mail, metadata, payment_method: 'pm_card_visa' },
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const newest = async () => (await stripe.subscriptions.list({ customer: id, status: 'all' })).data[0];
  const charge = async () => (await stripe.charges.list({ customer: id })).data[0];

  return {
    id,
    mail,
    subscribe: (price: Stripe.Price, trialDays = 0) =>
      stripe.subscriptions.create({
        ...{ customer: id, items: [{ price: price.id }] },
        ...(trialDays > 0 && { trial_period_days: trialDays }),
      }),
    async buyOnce(price: Stripe.Price): Promise<void> {
      const session = await stripe.checkout.sessions.create({
        ...{ mode: 'payment', customer: id, success_url: 'https://example.com/done' },
        line_items: [{ price: price.id, quantity: 1 }],
      });
      await simulator.pay(session.id);
    },
    /** The trial is over, or the next period is billed. */
    billNow: async () => {
      const { id: subscription = '', status } = (await newest()) ?? {};
      if (status === 'trialing') await stripe.subscriptions.update(subscription, { trial_end: 'now' });
      else
        await stripe.subscriptions.update(subscription, {
          billing_cycle_anchor: { type: 'now' },
          proration_behavior: 'none',
          description: OF_A_TEST,
        });
    },
    newest,
    charge,
    cancel: async (atPeriodEnd: boolean) => simulator.cancel((await newest())?.id ?? '', atPeriodEnd),
    resume: async () =>
      stripe.subscriptions.update((await newest())?.id ?? '', { cancel_at_period_end: false }),
    declineFromNowOn: () => simulator.putCard(id, '4000000000000341'),
    refund: async (amount?: number) => simulator.refund(String((await charge())?.payment_intent), amount),
    dispute: async (won: boolean) => simulator.dispute((await charge())?.id ?? '', won ? 'won' : 'lost'),
    /** All metadata of their objects, as one text; what has ended cannot be written to any more. */
    async metadata(): Promise<string> {
      const lists = await Promise.all([
        stripe.subscriptions.list({ customer: id, status: 'all', limit: 100 }),
        stripe.charges.list({ customer: id, limit: 100 }),
      ]);
      const customer = await stripe.customers.retrieve(id);
      const all = [customer, ...lists.flatMap(({ data }): readonly Written[] => data)];
      const writable = all.filter((each) => !('status' in each && each.status === 'canceled'));
      return JSON.stringify(writable.map((each) => ('metadata' in each ? each.metadata : null)));
    },
  };
}
interface Written {
  readonly metadata: Stripe.Metadata;
  readonly status: string;
}
export type OldCustomer = Awaited<ReturnType<typeof anOldCustomer>>;

type Happening = (customer: OldCustomer, prices: Prices, roll: Roll) => Promise<unknown>;

/** What happens to what somebody has; what is not possible at the moment does not happen. */
const LATER: readonly Happening[] = [
  (customer) => customer.cancel(true),
  (customer) => customer.cancel(false),
  (customer) => customer.resume(),
  (customer) => customer.billNow(),
  (customer) => customer.declineFromNowOn(),
  (customer) => customer.refund(),
  (customer, _, roll) => customer.refund(1 + roll(800)),
  (customer, _, roll) => customer.dispute(roll(2) === 0),
];

const PURCHASES: readonly Happening[] = [
  (customer, { monthly }, roll) => customer.subscribe(monthly, roll(2) * 7),
  (customer, { yearly }) => customer.subscribe(yearly),
  (customer, { metered }, roll) => customer.subscribe(metered, roll(2) * 14),
  (customer, { forGood }) => customer.buyOnce(forGood),
  (customer, { donation }) => customer.buyOnce(donation),
];

/** A random life: so many things happen, one after the other. */
export async function live(customer: OldCustomer, prices: Prices, roll: Roll, steps: number): Promise<void> {
  await happen([...LATER, ...PURCHASES], customer, prices, roll, steps);
}

/** The same, without buying anything at the old shop. */
export async function liveOn(
  customer: OldCustomer,
  prices: Prices,
  roll: Roll,
  steps: number,
): Promise<void> {
  await happen(LATER, customer, prices, roll, steps);
}

async function happen(
  happenings: readonly Happening[],
  customer: OldCustomer,
  prices: Prices,
  roll: Roll,
  steps: number,
): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await happenings[roll(happenings.length)]?.(customer, prices, roll).catch(() => {});
  }
}

/** Whether the old shop lets them use what is paid: by Stripe's own objects, and by nothing that this service wrote. */
export async function isPaidThere({ id }: OldCustomer, prices: Prices): Promise<boolean> {
  const { data: subscriptions } = await stripe.subscriptions.list({
    customer: id,
    status: 'all',
    limit: 100,
  });
  if (subscriptions.some(({ status }) => status === 'active' || status === 'trialing')) return true;
  const { data: charges } = await stripe.charges.list({ customer: id, limit: 100 });
  for (const charge of charges) {
    if (charge.amount !== prices.forGood.unit_amount || !charge.paid || charge.refunded) continue;
    const { data: disputes } = await stripe.disputes.list({ charge: charge.id });
    if (disputes.every(({ status }) => status === 'won')) return true;
  }
  return false;
}

/**
 * Whether a bank took a subscription's money back: the old shop goes by the subscription's status alone, and this service
 * does not (docs/decisions/refunds-and-disputes.md#disputes).
 */
export async function hasLostDispute({ id }: OldCustomer): Promise<boolean> {
  const { data } = await stripe.charges.list({ customer: id, limit: 100 });
  for (const charge of data.filter(({ disputed }) => disputed)) {
    const { data: disputes } = await stripe.disputes.list({ charge: charge.id });
    if (disputes.some(({ status }) => status !== 'won')) return true;
  }
  return false;
}

/** Whether this service may let them in all the same: it waits where a payment is late. */
export async function isLate({ id }: OldCustomer): Promise<boolean> {
  const { data } = await stripe.subscriptions.list({ customer: id, status: 'past_due' });
  return data.length > 0;
}

/** What firestore-stripe-payments writes of a customer: a document, and one for each subscription and payment. */
export async function writeAsFirebaseExtension(uid: Uid, { id, mail }: OldCustomer): Promise<void> {
  const customer = firestore.doc(`customers/${uid}`);
  const stripeLink = `https://dashboard.stripe.com/test/customers/${id}`;
  await customer.set({ email: mail, stripeId: id, stripeLink }, { merge: true });
  const { data: subscriptions } = await stripe.subscriptions.list({
    customer: id,
    status: 'all',
    limit: 100,
  });
  const at = (seconds: number | null | undefined) =>
    typeof seconds === 'number' ? Timestamp.fromMillis(seconds * 1000) : null;
  for (const subscription of subscriptions) {
    const [item] = subscription.items.data;
    const product = firestore.doc(`products/${item?.price.product}`);
    const price = product.collection('prices').doc(item?.price.id ?? '');
    const { metadata, status, cancel_at_period_end, canceled_at, created } = subscription;
    await customer
      .collection('subscriptions')
      .doc(subscription.id)
      .set({
        ...{ metadata, status, cancel_at_period_end, product, price, prices: [price], quantity: 1 },
        role: 'premium',
        stripeLink: `https://dashboard.stripe.com/test/subscriptions/${subscription.id}`,
        cancel_at: at(subscription.cancel_at),
        canceled_at: at(canceled_at),
        created: at(created),
        current_period_start: at(item?.current_period_start),
        current_period_end: at(item?.current_period_end),
        ended_at: at(subscription.ended_at),
        trial_start: at(subscription.trial_start),
        trial_end: at(subscription.trial_end),
      });
  }
  const { data: intents } = await stripe.paymentIntents.list({ customer: id, limit: 100 });
  for (const { amount, currency, status, created, ...intent } of intents) {
    await customer
      .collection('payments')
      .doc(intent.id)
      .set({ id: intent.id, object: 'payment_intent', customer: id, amount, currency, status, created });
  }
}

/** A user of the old shop's Firebase project. */
export async function anOldUser(mail: string): Promise<Uid> {
  const { uid } = await signUp(mail);
  await auth.updateUser(uid, { emailVerified: true });
  return uid as Uid;
}

/** A user as ExtensionPay answers its library, or a file of such users has it. */
export function asExtensionPayUser(email: string, over: Readonly<Record<string, unknown>> = {}) {
  return {
    ...{ email, paid: true, paidAt: '2026-01-05T10:00:00.000Z', installedAt: '2026-01-01T10:00:00.000Z' },
    ...{ trialStartedAt: null, plan: null, subscriptionStatus: null, subscriptionCancelAt: null },
    ...over,
  };
}

/** Somebody who paid once at a page that made no customer. */
export async function aGuestPayment(price: Stripe.Price, email: string): Promise<void> {
  const session = await stripe.checkout.sessions.create({
    ...{ mode: 'payment', customer_email: email, customer_creation: 'if_required' },
    ...{ success_url: 'https://example.com/done', line_items: [{ price: price.id, quantity: 1 }] },
  });
  await simulator.pay(session.id);
}
