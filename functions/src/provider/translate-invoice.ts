import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import type { Fact } from '../domain/events.ts';
import { idOf } from './id-of.ts';
import { type PurchaseMetadata, readMetadata } from './metadata.ts';
import { readInstant } from './read-instant.ts';
import { serviceLinesOf } from './service-lines.ts';
import type { InvoiceQuestion, ServiceLine, Told } from './told.ts';

/** Reasons that alone say that a period is paid for. None at all: before an invoice said why. */
const PERIODIC: ReadonlySet<unknown> = new Set(['subscription_create', 'subscription_cycle', undefined]);

/** Bills what was used so far, within a period. */
const WITHIN_PERIOD = 'subscription_threshold';

/** Before 2025-03-31 an invoice named its subscription at the root. */
type OlderInvoice = Stripe.Invoice & {
  readonly subscription?: string | { readonly id: string } | null;
  readonly subscription_details?: { readonly metadata?: Record<string, string> | null } | null;
};

export type AllowancePaid = Extract<Fact, { kind: 'allowance_paid' }>;

/** A paid invoice; `ask` is null where it says all that counts. */
export type ToldInvoice = Told & { readonly ask: InvoiceQuestion | null };

/**
 * A paid invoice. One that pays for a whole period brings that period's allowance, whatever it was made for: the first
 * one (a trial's costs $0 and grants as well), a renewal, a trial that was ended, a switch that starts a new period.
 * Prorations, one-off lines and add-ons bring none and take none (docs/decisions/0101-what-an-invoice-grants.md).
 */
export function translateInvoice(invoice: OlderInvoice, at: Millis): ToldInvoice {
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const own = readMetadata(invoice.metadata);
  const isPeriodic = PERIODIC.has(invoice.billing_reason);
  const lines = serviceLinesOf(invoice.lines).filter(({ isSaid }) => isSaid || isPeriodic);
  const metadata = { ...lines[0]?.metadata, ...own, ...readMetadata(details?.metadata) };
  const told = { uid: own.uid ?? metadata.uid, customer: idOf(invoice.customer) };
  const nothing: ToldInvoice = { ...told, fact: { kind: 'customer_seen', at }, ask: null };
  const subscription = idOf(invoice.parent?.subscription_details?.subscription ?? invoice.subscription);
  if (subscription === null || typeof invoice.id !== 'string' || invoice.billing_reason === WITHIN_PERIOD) {
    return nothing;
  }
  const chosen = chooseLine(lines, metadata);
  const isCut = invoice.lines?.has_more === true && chosen.kind !== 'bought';
  const ask: InvoiceQuestion | null = isCut ? { kind: 'lines', invoice, at } : questionOf(chosen);
  if (lines.length === 0 && !isPeriodic) return { ...nothing, ask };

  const invoiceCreated = readInstant(invoice.created) ?? at;
  const [line = null] = chosen.lines;
  const paid: AllowancePaid = {
    kind: 'allowance_paid',
    subscription,
    invoice: invoice.id,
    // `invoice.period_*` is when usage was collected; the service period is the line's.
    periodStart: line?.start ?? readInstant(invoice.period_start) ?? invoiceCreated,
    periodEnd: line?.end ?? null,
    amountPaid: amountOf(invoice.amount_paid),
    invoiceCreated,
    renews: !FIRST.has(invoice.billing_reason),
    credits: creditsOf(chosen, metadata),
    at,
  };
  return { ...told, fact: paid, ask };
}

/** An invoice of a subscription's beginning; none at all: before an invoice said why. */
const FIRST: ReadonlySet<unknown> = new Set(['subscription_create', undefined]);

/**
 * The lines that may be the service's: found by price, since dates and order say nothing. The metadata was written for
 * the price that was bought at checkout; where the invoice bills others, the plan was switched at the provider or made
 * there, and the price that grants most is the service.
 */
type Chosen =
  | { readonly kind: 'bought'; readonly lines: readonly ServiceLine[] }
  /** The metadata names the credits and no price: whichever line it is, those count. */
  | { readonly kind: 'unnamed'; readonly lines: readonly ServiceLine[] }
  | { readonly kind: 'other'; readonly lines: readonly ServiceLine[] };

function chooseLine(lines: readonly ServiceLine[], { priceId, monthlyCredits }: PurchaseMetadata): Chosen {
  const bought = lines.filter(({ price }) => price !== null && price === priceId);
  if (bought.length > 0) return { kind: 'bought', lines: bought };
  if (priceId === undefined && monthlyCredits !== undefined) return { kind: 'unnamed', lines };
  const known = [...lines].sort((a, b) => ownCredits(b) - ownCredits(a));
  return { kind: 'other', lines: known };
}

function ownCredits({ priceMetadata }: ServiceLine): number {
  return priceMetadata?.monthlyCredits ?? 0;
}

function questionOf({ kind, lines }: Chosen): InvoiceQuestion | null {
  if (kind !== 'other') return null;
  const open = lines.flatMap((line) => (line.price === null ? [] : [{ ...line, price: line.price }]));
  return open.some(({ priceMetadata }) => priceMetadata === null) ? { kind: 'prices', lines: open } : null;
}

/** What the invoice itself says of its credits; the answer to its question, where it has one, says better. */
function creditsOf({ kind, lines }: Chosen, metadata: PurchaseMetadata): number {
  const [line] = lines;
  const own = kind === 'other' ? line?.priceMetadata : null;
  // A plan without credits starts its period with none: what an earlier plan left does not roll over.
  return allowanceOf((own ?? metadata).monthlyCredits, line?.quantity ?? 1);
}

/** More than any record can hold is a mistake, and sums of it would lose precision. */
const MAX_ALLOWANCE = 1_000_000_000_000;

/** The allowance of so many of a price: whoever pays for three gets three times the credits. */
export function allowanceOf(monthlyCredits: number | undefined, quantity: number): number {
  return Math.min((monthlyCredits ?? 0) * quantity, MAX_ALLOWANCE);
}

/** Minor currency units; an amount that is none is nothing. */
function amountOf(amount: unknown): number {
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0 ? amount : 0;
}
