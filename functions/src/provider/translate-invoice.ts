import type { Stripe } from 'stripe';
import type { Millis } from '../contract/customer.ts';
import { idOf } from './id-of.ts';
import { type PurchaseMetadata, readMetadata } from './metadata.ts';
import { readInstant } from './read-instant.ts';
import { rowsOf } from './rows-of.ts';
import type { Told } from './told.ts';

/**
 * Only a subscription's first invoice and its renewals bring a new allowance (design, section 5). None at all: before
 * an invoice said why.
 */
const PERIODIC: ReadonlySet<unknown> = new Set(['subscription_create', 'subscription_cycle', undefined]);

/** Before 2025-03-31 an invoice named its subscription at the root. */
type OlderInvoice = Stripe.Invoice & {
  readonly subscription?: string | { readonly id: string } | null;
  readonly subscription_details?: { readonly metadata?: Record<string, string> | null } | null;
};
/** And a line had the whole price. */
type OlderLine = Stripe.InvoiceLineItem & {
  readonly proration?: boolean;
  readonly price?: { readonly id: string; readonly metadata?: Record<string, string> } | null;
};

/** A paid invoice, and the price whose metadata has the last word on its credits; null where it is not needed. */
export type ToldInvoice = Told & { readonly creditsOf: string | null };

/**
 * A paid invoice. The first one of a trial is paid with $0 and grants as well (specification: "including the
 * first invoice"). The credits stand in the metadata that the subscription had when the invoice was made.
 */
export function translateInvoice(invoice: OlderInvoice, at: Millis): ToldInvoice {
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const own = readMetadata(invoice.metadata);
  const line = serviceLine(invoice);
  const metadata = { ...readMetadata(line?.metadata), ...own, ...readMetadata(details?.metadata) };
  const told = { uid: own.uid ?? metadata.uid, customer: idOf(invoice.customer) };
  const subscription = idOf(invoice.parent?.subscription_details?.subscription ?? invoice.subscription);
  if (!PERIODIC.has(invoice.billing_reason) || subscription === null || typeof invoice.id !== 'string') {
    return { ...told, fact: { kind: 'customer_seen', at }, creditsOf: null };
  }
  const invoiceCreated = readInstant(invoice.created) ?? at;
  return {
    ...told,
    ...creditsIn(metadata, line, {
      kind: 'allowance_paid',
      subscription,
      invoice: invoice.id,
      // `invoice.period_*` is when usage was collected; the service period is the line's.
      periodStart: readInstant(line?.period?.start) ?? readInstant(invoice.period_start) ?? invoiceCreated,
      invoiceCreated,
      renews: invoice.billing_reason === 'subscription_cycle',
      at,
    }),
  };
}

/**
 * The credits of an invoice. The metadata was written for the price that was bought at checkout: where the invoice
 * bills another one, since the plan was switched at the provider or made there, that price's own metadata counts.
 */
function creditsIn(
  metadata: PurchaseMetadata,
  line: OlderLine | undefined,
  paid: Omit<Extract<Told['fact'], { kind: 'allowance_paid' }>, 'credits'>,
): Pick<ToldInvoice, 'fact' | 'creditsOf'> {
  const billed = idOf(line?.price) ?? idOf(line?.pricing?.price_details?.price);
  const isOther =
    metadata.priceId === undefined ? metadata.monthlyCredits === undefined : metadata.priceId !== billed;
  const whole = line?.price?.metadata;
  if (billed === null || !isOther || whole !== undefined) {
    const snapshot = isOther && whole !== undefined ? readMetadata(whole) : metadata;
    // A plan without credits starts its period with none: what an earlier plan left does not roll over.
    return { fact: { ...paid, credits: snapshot.monthlyCredits ?? 0 }, creditsOf: null };
  }
  return { fact: { ...paid, credits: metadata.monthlyCredits ?? 0 }, creditsOf: billed };
}

/** The line that pays for the coming period: the latest one that is no proration. */
function serviceLine(invoice: Stripe.Invoice): OlderLine | undefined {
  const service = rowsOf<OlderLine>(invoice.lines).filter((line) => !isProration(line));
  return [...service].sort((a, b) => (b.period?.start ?? 0) - (a.period?.start ?? 0))[0];
}

function isProration(line: OlderLine): boolean {
  return line.parent?.subscription_item_details?.proration ?? line.proration ?? false;
}
