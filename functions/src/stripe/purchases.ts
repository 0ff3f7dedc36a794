import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import type { Fact, Product, Upgrade } from './facts.ts';
import { idOf, type ObjectFact, type PurchaseMetadata } from './fields.ts';
import { upgradeIn } from './invoices.ts';
import { isOfOtherProject, productOf, type Seller, type ShownPrice, saleOf } from './sale.ts';

/** Payment states that mean the money is there, or that none was asked for; none at all: before delayed methods. */
const SETTLED: ReadonlySet<unknown> = new Set(['paid', 'no_payment_required', undefined]);
/** None at all: before there were other modes. */
const ONE_TIME: ReadonlySet<unknown> = new Set(['payment', undefined]);

/**
 * A checkout that ended. A one-time purchase counts once it is paid: delayed methods complete as `unpaid` and
 * are followed by `async_payment_succeeded`. A subscription's own events say the rest.
 *
 * @param prices what it sold; null where that is not known, as in an event
 */
export function translateCheckoutSession(
  session: Stripe.Checkout.Session,
  at: Millis,
  seller: Seller,
  prices: readonly ShownPrice[] | null,
): ObjectFact {
  const reference = (session.payment_link ?? null) === null ? session.client_reference_id : null;
  const { uid, said } = saleOf({ metadata: [session.metadata], reference, prices: prices ?? [] }, seller);
  const owner = { uid, customer: idOf(session.customer) };
  const nothing: ObjectFact = { ...owner, fact: { kind: 'customer_seen', at } };
  if (!ONE_TIME.has(session.mode) || !SETTLED.has(session.payment_status)) return nothing;
  // An event does not show what was paid for, so where metadata alone proves nothing the provider is asked.
  if (seller.open !== undefined && prices === null) return { ...nothing, ask: { kind: 'session', session } };
  const product = productOf(said, seller.catalog);
  if (product === null) return nothing;
  const purchase = idOf(session.payment_intent) ?? session.id;
  return { ...owner, fact: purchasePaid(purchase, product, said, at) };
}

/**
 * What a charge says that it paid for, where no checkout page of this service sold it: a purchase that `billing import`
 * took over and wrote onto the charge (docs/decisions/import.md). Null where it is none, or not paid.
 */
export function translateCharged(charge: Stripe.Charge, seller: Seller): ObjectFact | null {
  const { uid, said } = saleOf({ id: charge.id, metadata: [charge.metadata] }, seller);
  const product = productOf(said, seller.catalog);
  const isPaid = charge.paid === true && charge.status === 'succeeded';
  if (uid === undefined || product === null || !isPaid) return null;
  const purchase = idOf(charge.payment_intent) ?? charge.id;
  const fact = purchasePaid(purchase, product, said, charge.created * 1000);
  return { uid, customer: idOf(charge.customer), fact };
}

function purchasePaid(purchase: string, product: Product, metadata: PurchaseMetadata, at: Millis): Fact {
  return {
    kind: 'purchase_paid',
    purchase,
    product,
    credits: product === 'pack' ? (metadata.credits ?? 0) : 0,
    ...creditTermsOf(product, metadata),
    lookupKey: metadata.lookupKey ?? null,
    ...(product === 'lifetime' &&
      metadata.entitlements !== undefined && { entitlements: metadata.entitlements }),
    at,
  };
}

/** How long a pack's credits last, and which credits a lifetime plan brings. */
function creditTermsOf(product: Product, { expiresAfterDays, monthlyCredits = 0, terms }: PurchaseMetadata) {
  if (product === 'pack') return expiresAfterDays === undefined ? {} : { expiresAfterDays };
  return terms === undefined || monthlyCredits === 0
    ? {}
    : { allowance: { amount: monthlyCredits, ...terms } };
}

/**
 * A refund of a charge. `amount_refunded` is cumulative. The charge of a subscription's invoice carries no metadata of
 * ours and changes no right, the subscription's own state does: where the metadata names no product, the refund counts
 * only for a purchase that is known by its payment intent.
 */
export function translateCharge(charge: Stripe.Charge, at: Millis, seller: Seller): ObjectFact {
  const { uid, claimed } = saleOf({ id: charge.id, metadata: [charge.metadata] }, seller);
  return {
    uid,
    customer: idOf(charge.customer),
    fact: {
      kind: 'charge_refunded',
      purchase: idOf(charge.payment_intent) ?? charge.id,
      charge: charge.id,
      product: productOf(claimed, seller.catalog),
      amount: charge.amount,
      refunded: charge.amount_refunded,
      at,
    },
  };
}

/**
 * A dispute holds the money back while it is open and for good when it is lost; a won one restores. Every event of it
 * carries its present status, so an inquiry that becomes a dispute is one from the event that says so
 * (docs/decisions/refunds-and-disputes.md#disputes).
 */
export function translateDispute(
  dispute: Stripe.Dispute,
  at: Millis,
  seller: Seller,
): (ObjectFact & { readonly fact: Extract<ObjectFact['fact'], { kind: 'dispute_seen' }> }) | null {
  const charge = idOf(dispute.charge);
  const outcome = outcomeOf(dispute.status);
  if (charge === null || outcome === null) return null;
  return {
    uid: saleOf({ metadata: [dispute.metadata] }, seller).uid,
    customer: null,
    charge,
    fact: {
      kind: 'dispute_seen',
      purchase: idOf(dispute.payment_intent) ?? charge,
      dispute: dispute.id,
      outcome,
      disputed: Number.isSafeInteger(dispute.amount) && dispute.amount >= 0 ? dispute.amount : null,
      // The charge knows; `disputeOn` puts it in.
      amount: null,
      at,
    },
  };
}

/** A refund that the bank sent back: the buyer has not got the money after all. */
export function translateFailedRefund(
  refund: Stripe.Refund,
  at: Millis,
  seller: Seller,
): ObjectFact | string {
  const charge = idOf(refund.charge);
  const purchase = idOf(refund.payment_intent) ?? charge;
  if (charge === null || purchase === null) return 'refund without a charge';
  return {
    uid: saleOf({ metadata: [refund.metadata] }, seller).uid,
    customer: null,
    charge,
    fact: { kind: 'refund_failed', purchase, refund: refund.id, amount: refund.amount, at },
  };
}

/** Inquiries (`warning_…`) move no money; a status that is not known yet changes nothing. */
function outcomeOf(status: string): 'open' | 'won' | 'lost' | null {
  switch (status) {
    case 'needs_response':
    case 'under_review':
    case 'appeal_needs_response':
    case 'appeal_under_review':
      return 'open';
    case 'won':
      return 'won';
    case 'lost':
    // Prevented by giving the buyer the money back, before it became a dispute.
    case 'prevented':
      return 'lost';
    default:
      return null;
  }
}

/** What a charge was paid for. Amounts in minor currency units. */
type ChargeSubject =
  /** A pack or a lifetime plan, whose metadata the charge has. */
  | {
      readonly kind: 'purchase';
      readonly uid: unknown;
      readonly customer: string | null;
      readonly amount: number;
    }
  /** A subscription's invoice, which says whose it is. */
  | {
      readonly kind: 'invoice';
      readonly uid: unknown;
      readonly customer: string | null;
      readonly amount: number;
      readonly invoice: string;
      readonly subscription: string;
      readonly upgrade: Upgrade | null;
    };

/** Before 2025-03-31 a charge named its invoice. */
type OlderCharge = Stripe.Charge & { readonly invoice?: string | { readonly id: string } | null };
/** And an invoice its subscription. */
type OlderInvoice = Stripe.Invoice & { readonly subscription?: string | { readonly id: string } | null };

/**
 * What a charge was paid for. Disputes and refunds carry neither metadata nor a customer, so the provider is asked: they
 * are rare. One call for a purchase, three or four for a subscription's charge. Null: it is nothing that this service sells.
 *
 * @throws the SDK's error when the provider cannot be asked, or does not know the charge.
 */
export async function traceCharge(stripe: Stripe, id: string, seller: Seller): Promise<ChargeSubject | null> {
  return subjectOf(stripe, await stripe.charges.retrieve(id), seller);
}

/** The same of a charge that is at hand. */
export async function subjectOf(
  stripe: Stripe,
  charge: OlderCharge,
  seller: Seller,
): Promise<ChargeSubject | null> {
  if (isOfOtherProject(charge, seller)) return null;
  const { uid, claimed } = saleOf({ id: charge.id, metadata: [charge.metadata] }, seller);
  const { amount } = charge;
  const customer = idOf(charge.customer);
  const purchase: ChargeSubject = { kind: 'purchase', uid, customer, amount };
  if (productOf(claimed, seller.catalog) !== null) return purchase;
  const id = idOf(charge.invoice) ?? (await invoicePaidBy(stripe, idOf(charge.payment_intent)));
  // Where prices alone may prove a sale, its charge need not say anything: it counts for what is known to be bought.
  if (id === null) return seller.open === undefined ? null : purchase;
  const invoice: OlderInvoice = await stripe.invoices.retrieve(id);
  if (isOfOtherProject(invoice, seller)) return null;
  const details = invoice.parent?.subscription_details;
  const subscription = idOf(details?.subscription ?? invoice.subscription);
  if (subscription === null) return null;
  const owner = saleOf({ metadata: [details?.metadata] }, seller);
  const upgrade = await upgradeIn(stripe, invoice, seller);
  return { kind: 'invoice', uid: owner.uid, customer, amount, invoice: id, subscription, upgrade };
}

async function invoicePaidBy(stripe: Stripe, paymentIntent: string | null): Promise<string | null> {
  if (paymentIntent === null) return null;
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
    limit: 1,
  });
  return idOf(data[0]?.invoice);
}

type DisputeSeen = Extract<Fact, { kind: 'dispute_seen' }>;

/** A dispute with what its charge says of it: how much was paid, and for which invoice. */
export function disputeOn(fact: DisputeSeen, subject: ChargeSubject): Fact {
  const { dispute, outcome, disputed, at } = fact;
  switch (subject.kind) {
    case 'purchase':
      return { ...fact, amount: subject.amount };
    case 'invoice': {
      const { invoice, subscription, amount, upgrade } = subject;
      const about = { invoice, subscription, amount, ...(upgrade !== null && { upgrade }) };
      return { kind: 'invoice_disputed', ...about, dispute, outcome, disputed, at };
    }
    default:
      return subject satisfies never;
  }
}
