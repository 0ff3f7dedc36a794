import type { Stripe } from 'stripe';
import type { Fact } from '../domain/events.ts';
import { idOf } from './id-of.ts';
import { readMetadata } from './metadata.ts';
import { isOfOtherProject } from './project-tag.ts';
import { productOf } from './translate-checkout-session.ts';

/** What a charge was paid for. Amounts in minor currency units. */
export type ChargeSubject =
  /** A pack or a lifetime plan, whose metadata the charge has. */
  | { readonly kind: 'purchase'; readonly uid: unknown; readonly amount: number }
  /** A subscription's invoice, which says whose it is. */
  | {
      readonly kind: 'invoice';
      readonly uid: unknown;
      readonly customer: string | null;
      readonly amount: number;
      readonly invoice: string;
      readonly subscription: string;
    };

/** Before 2025-03-31 a charge named its invoice. */
type OlderCharge = Stripe.Charge & { readonly invoice?: string | { readonly id: string } | null };
/** And an invoice its subscription. */
type OlderInvoice = Stripe.Invoice & { readonly subscription?: string | { readonly id: string } | null };

/**
 * What a charge was paid for. Disputes and refunds carry neither metadata nor a customer, so the provider is asked: they
 * are rare. One call for a purchase, three for a subscription's charge. Null: it is nothing that this service sells.
 *
 * @throws the SDK's error when the provider cannot be asked, or does not know the charge.
 */
export async function traceCharge(
  stripe: Stripe,
  id: string,
  project: string | null,
): Promise<ChargeSubject | null> {
  return subjectOf(stripe, await stripe.charges.retrieve(id), project);
}

/** The same of a charge that is at hand. */
export async function subjectOf(
  stripe: Stripe,
  charge: OlderCharge,
  project: string | null,
): Promise<ChargeSubject | null> {
  if (isOfOtherProject(charge, project)) return null;
  const metadata = readMetadata(charge.metadata);
  const { amount } = charge;
  if (productOf(metadata) !== null) return { kind: 'purchase', uid: metadata.uid, amount };
  const id = idOf(charge.invoice) ?? (await invoicePaidBy(stripe, idOf(charge.payment_intent)));
  if (id === null) return null;
  const invoice: OlderInvoice = await stripe.invoices.retrieve(id);
  if (isOfOtherProject(invoice, project)) return null;
  const details = invoice.parent?.subscription_details;
  const subscription = idOf(details?.subscription ?? invoice.subscription);
  if (subscription === null) return null;
  const { uid } = readMetadata(details?.metadata);
  return { kind: 'invoice', uid, customer: idOf(charge.customer), amount, invoice: id, subscription };
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
      const { invoice, subscription, amount } = subject;
      return { kind: 'invoice_disputed', invoice, subscription, dispute, outcome, disputed, amount, at };
    }
    default:
      return subject satisfies never;
  }
}
