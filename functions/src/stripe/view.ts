import type { Catalog } from '@extension-billing/contract/catalog';
import type { Millis, PlannedChange } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { parseUid, type Uid } from '../store/documents.ts';
import { isNotFound } from './client.ts';
import type { Fact, Product, SubscriptionState } from './facts.ts';
import { idOf, isOfOtherProject, type ObjectFact, readMetadata, type Seller } from './fields.ts';
import { type AskedPrices, completeInvoice, translateInvoice } from './invoices.ts';
import {
  disputeOn,
  productOf,
  subjectOf,
  translateCharged,
  translateCheckoutSession,
  translateDispute,
} from './purchases.ts';
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
  const { catalog } = seller;
  const found = await retrieveCustomer(stripe, customer);
  if (found === null) return NOTHING;
  const page = { customer, limit: 100 };
  const gatherOwn = async <Row>(list: AsyncIterable<Row>) =>
    (await gather(list)).filter((row) => !isOfOtherProject(row, seller.project));
  const [subscriptions, invoices, sessions, charges] = await Promise.all([
    gatherOwn(stripe.subscriptions.list({ ...page, status: 'all' })),
    gatherOwn(stripe.invoices.list({ ...page, status: 'paid' })),
    gatherOwn(stripe.checkout.sessions.list({ ...page, status: 'complete' })),
    gatherOwn(stripe.charges.list({ ...page, expand: ['data.refunds'] })),
  ]);
  const own = (named: unknown): boolean => (parseUid(named) ?? uid) === uid;
  const ownFact = (each: ObjectFact | string): readonly CustomerFact[] =>
    typeof each === 'string' || !own(each.uid) ? [] : [{ customer, fact: each.fact }];
  const bought = charges.filter(({ metadata }) => {
    const { uid: named, ...purchase } = readMetadata(metadata);
    return own(named) && productOf(purchase, catalog) !== null;
  });
  const disputes = await listDisputes(stripe, customer, charges, own, catalog);
  const paidAt = new Map(charges.map((charge) => [idOf(charge.payment_intent), charge.created]));
  const sold = sessions.flatMap((session) => {
    const at = paidAt.get(idOf(session.payment_intent)) ?? session.created;
    return ownFact(translateCheckoutSession(session, at * 1000, catalog)).filter(isPurchase);
  });
  const isSoldHere = new Set(sold.map(purchaseOf));
  return {
    customers: [{ id: customer, deleted: found.deleted === true }],
    subscriptions: await Promise.all(
      subscriptions
        .filter(({ metadata }) => own(readMetadata(metadata).uid))
        .map(async (subscription) => ({
          id: subscription.id,
          customer,
          state: readSubscription(subscription, catalog),
          planned: subscription.schedule === null ? null : await retrievePlanned(stripe, subscription.id),
        })),
    ),
    purchases: [
      ...sold,
      ...charges
        .flatMap((charge) => ownFact(translateCharged(charge, catalog) ?? 'not a purchase'))
        .filter((each) => !isSoldHere.has(purchaseOf(each))),
      ...disputes.filter(({ fact }) => fact.kind === 'dispute_seen'),
    ],
    disputedInvoices: disputes.filter(({ fact }) => fact.kind === 'invoice_disputed'),
    refunds: bought.flatMap((charge) => readRefunds(charge, customer, catalog)),
    allowances: (await completeInvoices(stripe, invoices.map(asOfOurs(subscriptions)), catalog))
      .flatMap(ownFact)
      .filter(({ fact }) => fact.kind === 'allowance_paid'),
  };
}

/**
 * An invoice says what its subscription said when it was made: nothing of ours where `billing import` took the
 * subscription over since. Then the subscription says it (docs/decisions/0290-imported-purchases.md).
 */
function asOfOurs(subscriptions: readonly Stripe.Subscription[]) {
  return (invoice: Stripe.Invoice): Stripe.Invoice => {
    const { parent } = invoice;
    const details = parent?.subscription_details ?? null;
    if (parent === null || details === null || readMetadata(details.metadata).uid !== undefined)
      return invoice;
    const owner = subscriptions.find(({ id }) => id === idOf(details.subscription));
    if (owner === undefined || readMetadata(owner.metadata).project === undefined) return invoice;
    return {
      ...invoice,
      parent: { ...parent, subscription_details: { ...details, metadata: owner.metadata } },
    };
  };
}

/** One after the other, and each price once: an account may have years of invoices whose prices have to be asked for. */
async function completeInvoices(
  stripe: Stripe,
  invoices: readonly Stripe.Invoice[],
  catalog: Catalog,
): Promise<readonly ObjectFact[]> {
  const asked: AskedPrices = new Map();
  const all: ObjectFact[] = [];
  for (const invoice of invoices) {
    const paidAt = (invoice.status_transitions?.paid_at ?? invoice.created) * 1000;
    const { ask, ...known } = translateInvoice(invoice, paidAt);
    all.push({ ...known, fact: await completeInvoice(async () => stripe, known.fact, ask, catalog, asked) });
  }
  return all;
}

function isPurchase({ fact }: CustomerFact): boolean {
  return fact.kind === 'purchase_paid';
}

function purchaseOf({ fact }: CustomerFact): string | null {
  return fact.kind === 'purchase_paid' ? fact.purchase : null;
}

/** @param own whether an object that names this user, or nobody, is this user's */
async function listDisputes(
  stripe: Stripe,
  customer: string,
  charges: readonly Stripe.Charge[],
  own: (named: unknown) => boolean,
  catalog: Catalog,
): Promise<readonly CustomerFact[]> {
  const facts: CustomerFact[] = [];
  for (const charge of charges.filter(({ disputed }) => disputed)) {
    // What another project sold is not among these charges.
    const subject = await subjectOf(stripe, charge, { project: null, catalog });
    if (subject === null || !own(subject.uid)) continue;
    for (const dispute of await gather(stripe.disputes.list({ charge: charge.id, limit: 100 }))) {
      const { fact } = translateDispute(dispute, dispute.created * 1000) ?? {};
      if (fact !== undefined) facts.push({ customer, fact: disputeOn(fact, subject) });
    }
  }
  return facts;
}

function readRefunds(charge: Stripe.Charge, customer: string, catalog: Catalog): readonly RefundsNow[] {
  const product = productOf(readMetadata(charge.metadata), catalog);
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
