import type { Millis, PlannedChange } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { parseUid, type Uid } from '../store/documents.ts';
import { isNotFound } from './client.ts';
import type { Fact, Product, SubscriptionState } from './facts.ts';
import { idOf, type ObjectFact } from './fields.ts';
import { type AskedPrices, completeInvoice, translateInvoice } from './invoices.ts';
import { isChanged } from './kept-sale.ts';
import {
  disputeOn,
  subjectOf,
  translateCharged,
  translateCheckoutSession,
  translateDispute,
} from './purchases.ts';
import { isOfOtherProject, productOf, type Seller, saleOf } from './sale.ts';
import { retrievePlanned } from './schedules.ts';
import { readSubscription } from './subscriptions.ts';

const NOTHING: ProviderView = {
  customers: [],
  subscriptions: [],
  purchases: [],
  refunds: [],
  allowances: [],
  disputedInvoices: [],
};

/**
 * All that the provider has of a user now, by its customers: six lists each, and up to three more calls for every
 * disputed charge. What names another user in its metadata is left out, as the webhook would.
 *
 * @throws the SDK's error when the provider cannot be asked.
 */
export async function listProviderView(
  stripe: Stripe,
  uid: Uid,
  customers: readonly string[],
  seller: Seller,
): Promise<ProviderView> {
  let all = NOTHING;
  for (const customer of customers) {
    const view = await listCustomer(stripe, uid, customer, seller);
    all = {
      customers: [...all.customers, ...view.customers],
      subscriptions: [...all.subscriptions, ...view.subscriptions],
      purchases: [...all.purchases, ...view.purchases],
      refunds: [...all.refunds, ...view.refunds],
      allowances: [...all.allowances, ...view.allowances],
      disputedInvoices: [...all.disputedInvoices, ...view.disputedInvoices],
    };
  }
  return all;
}

async function listCustomer(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  seller: Seller,
): Promise<ProviderView> {
  const found = await retrieveCustomer(stripe, customer);
  if (found === null) return NOTHING;
  const page = { customer, limit: 100 };
  const gatherOwn = async <Row>(list: AsyncIterable<Row>) =>
    (await gather(list)).filter((row) => !isOfOtherProject(row, seller));
  const [subscriptions, invoices, sessions, charges] = await Promise.all([
    gatherOwn(stripe.subscriptions.list({ ...page, status: 'all' })),
    gatherOwn(stripe.invoices.list({ ...page, status: 'paid' })),
    gatherOwn(
      stripe.checkout.sessions.list({
        ...{ ...page, status: 'complete' },
        ...(seller.open !== undefined && { expand: ['data.line_items'] }),
      }),
    ),
    gatherOwn(stripe.charges.list({ ...page, expand: ['data.refunds'] })),
  ]);
  const own = (named: unknown): boolean => (parseUid(named) ?? uid) === uid;
  const ownFact = (each: ObjectFact | string): readonly CustomerFact[] =>
    typeof each === 'string' || !own(each.uid) ? [] : [{ customer, fact: each.fact }];
  const disputes = await listDisputes(stripe, customer, charges, own, seller);
  const paidAt = new Map(charges.map((charge) => [idOf(charge.payment_intent), charge.created]));
  const sold = sessions.flatMap((session) => {
    const at = paidAt.get(idOf(session.payment_intent)) ?? session.created;
    return ownFact(translateCheckoutSession(session, at * 1000, seller, pricesOf(session))).filter(
      isPurchase,
    );
  });
  const soldHere = new Map(sold.map((each) => [purchaseOf(each), productIn(each)]));
  return {
    customers: [{ id: customer, deleted: found.deleted === true }],
    subscriptions: await Promise.all(
      subscriptions
        .map((subscription) => ({ subscription, ...readSubscription(subscription, seller) }))
        .filter(({ uid: named }) => own(named))
        .map(async ({ subscription, state }) => ({
          id: subscription.id,
          customer,
          state,
          isChanged: isChanged(subscription, seller),
          planned: subscription.schedule === null ? null : await retrievePlanned(stripe, subscription.id),
        })),
    ),
    purchases: [
      ...sold,
      ...charges
        .flatMap((charge) => ownFact(translateCharged(charge, seller) ?? 'not a purchase'))
        .filter((each) => !soldHere.has(purchaseOf(each))),
      ...disputes.filter(({ fact }) => fact.kind === 'dispute_seen'),
    ],
    disputedInvoices: disputes.filter(({ fact }) => fact.kind === 'invoice_disputed'),
    refunds: charges.flatMap((charge) => readRefunds(charge, customer, { own, soldHere, seller })),
    allowances: (await completeInvoices(stripe, invoices, subscriptions, seller))
      .flatMap(ownFact)
      .filter(({ fact }) => fact.kind === 'allowance_paid'),
  };
}

/** One after the other, and each price once: an account may have years of invoices whose prices have to be asked for. */
async function completeInvoices(
  stripe: Stripe,
  invoices: readonly Stripe.Invoice[],
  subscriptions: readonly Stripe.Subscription[],
  seller: Seller,
): Promise<readonly ObjectFact[]> {
  const asked: AskedPrices = new Map();
  const all: ObjectFact[] = [];
  for (const invoice of invoices) {
    const paidAt = (invoice.status_transitions?.paid_at ?? invoice.created) * 1000;
    const named = idOf(invoice.parent?.subscription_details?.subscription);
    const owner = subscriptions.find(({ id }) => id === named) ?? null;
    const { ask, ...known } = translateInvoice(invoice, paidAt, seller, owner);
    const fact = await completeInvoice(async () => stripe, known.fact, ask, seller, asked, owner);
    all.push({ ...known, fact });
  }
  return all;
}

function isPurchase({ fact }: CustomerFact): boolean {
  return fact.kind === 'purchase_paid';
}

function purchaseOf({ fact }: CustomerFact): string | null {
  return fact.kind === 'purchase_paid' ? fact.purchase : null;
}

function productIn({ fact }: CustomerFact): Product | null {
  return fact.kind === 'purchase_paid' ? fact.product : null;
}

/** The prices that a session sold; null where they were not asked for. */
function pricesOf({ line_items: items }: Stripe.Checkout.Session): readonly Stripe.Price[] | null {
  return items === undefined ? null : items.data.flatMap(({ price }) => price ?? []);
}

/** @param own whether an object that names this user, or nobody, is this user's */
async function listDisputes(
  stripe: Stripe,
  customer: string,
  charges: readonly Stripe.Charge[],
  own: (named: unknown) => boolean,
  seller: Seller,
): Promise<readonly CustomerFact[]> {
  const facts: CustomerFact[] = [];
  for (const charge of charges.filter(({ disputed }) => disputed)) {
    const subject = await subjectOf(stripe, charge, seller);
    if (subject === null || !own(subject.uid)) continue;
    for (const dispute of await gather(stripe.disputes.list({ charge: charge.id, limit: 100 }))) {
      const { fact } = translateDispute(dispute, dispute.created * 1000, seller) ?? {};
      if (fact !== undefined) facts.push({ customer, fact: disputeOn(fact, subject) });
    }
  }
  return facts;
}

function readRefunds(
  charge: Stripe.Charge,
  customer: string,
  {
    own,
    soldHere,
    seller,
  }: {
    readonly own: (named: unknown) => boolean;
    readonly soldHere: ReadonlyMap<string | null, Product | null>;
    readonly seller: Seller;
  },
): readonly RefundsNow[] {
  const { uid, claimed } = saleOf({ id: charge.id, metadata: [charge.metadata] }, seller);
  const sold = soldHere.get(idOf(charge.payment_intent) ?? charge.id) ?? null;
  const product = productOf(claimed, seller.catalog) ?? sold;
  if (!own(uid)) return [];
  const refunds = charge.refunds?.data ?? [];
  if (product === null || (refunds.length === 0 && charge.amount_refunded === 0)) return [];
  return [
    {
      customer,
      purchase: idOf(charge.payment_intent) ?? charge.id,
      charge: charge.id,
      product,
      amount: charge.amount,
      refunded: charge.amount_refunded,
      newestAt: Math.max(charge.created, ...refunds.map(({ created }) => created)) * 1000,
      failed: refunds
        .filter(({ status }) => status === 'failed' || status === 'canceled')
        .map(({ id, amount }) => ({ refund: id, amount })),
    },
  ];
}

/** Null: the provider never had this customer, at least not under this key. */
async function retrieveCustomer(stripe: Stripe, id: string) {
  try {
    return await stripe.customers.retrieve(id);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

async function gather<Row>(list: AsyncIterable<Row>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of list) rows.push(row);
  return rows;
}

/** A fact with the provider customer that it hangs on. */
export interface CustomerFact {
  readonly customer: string | null;
  readonly fact: Fact;
}

/** All the refunds of one charge, as the provider lists them now. Minor currency units. */
export interface RefundsNow {
  readonly customer: string | null;
  readonly purchase: string;
  readonly charge: string;
  readonly product: Product;
  readonly amount: number;
  /** What is back with the buyer: refunds that failed are not in it. */
  readonly refunded: number;
  /** When the newest refund was made. */
  readonly newestAt: Millis;
  readonly failed: readonly { readonly refund: string; readonly amount: number }[];
}

/** Everything that the provider has of one user at the moment, as facts of ours. */
export interface ProviderView {
  readonly customers: readonly { readonly id: string; readonly deleted: boolean }[];
  readonly subscriptions: readonly {
    readonly id: string;
    readonly customer: string | null;
    readonly state: SubscriptionState;
    /** What was sold with the price that it runs at is to be kept (kept-sale.ts). */
    readonly isChanged?: boolean;
    readonly planned: PlannedChange | null;
  }[];
  /** Purchases that were paid, and their disputes. */
  readonly purchases: readonly CustomerFact[];
  readonly refunds: readonly RefundsNow[];
  /** Invoices that were paid, for any period. */
  readonly allowances: readonly CustomerFact[];
  /** Disputes on the payments of subscriptions' invoices. */
  readonly disputedInvoices: readonly CustomerFact[];
}
