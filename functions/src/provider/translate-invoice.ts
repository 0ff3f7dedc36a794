import type { Stripe } from 'stripe';
import type { Millis } from '../contract/customer.ts';
import { idOf } from './id-of.ts';
import { readMetadata } from './metadata.ts';
import type { Told } from './translate-event.ts';

/** Only a subscription's first invoice and its renewals bring a new allowance (design, section 5). */
const PERIODIC: ReadonlySet<string> = new Set(['subscription_create', 'subscription_cycle']);

/** Before 2025-03-31 an invoice named its subscription at the root. */
type OlderInvoice = Stripe.Invoice & {
  readonly subscription?: string | { readonly id: string } | null;
  readonly subscription_details?: { readonly metadata?: Record<string, string> | null } | null;
};
type OlderLine = Stripe.InvoiceLineItem & {
  readonly proration?: boolean;
  readonly price?: { readonly metadata?: Record<string, string> } | null;
};

/**
 * A paid invoice. The first one of a trial is paid with $0 and grants as well (specification: "including the
 * first invoice"). The credits stand in the metadata that the subscription had when the invoice was made.
 */
export function translateInvoice(invoice: OlderInvoice, at: Millis): Told {
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const metadata = readMetadata(details?.metadata);
  const own = readMetadata(invoice.metadata);
  const told = { uid: own.uid ?? metadata.uid, customer: idOf(invoice.customer) };
  const subscription = idOf(invoice.parent?.subscription_details?.subscription ?? invoice.subscription);
  const line = serviceLine(invoice);
  // A plan without credits starts its period with none: what an earlier plan left does not roll over.
  const credits = metadata.monthlyCredits ?? readMetadata(line?.price?.metadata).monthlyCredits ?? 0;
  const isPeriodic = PERIODIC.has(invoice.billing_reason ?? '');
  if (!isPeriodic || subscription === null || typeof invoice.id !== 'string') {
    return { ...told, fact: { kind: 'customer_seen', at } };
  }
  return {
    ...told,
    fact: {
      kind: 'allowance_paid',
      subscription,
      invoice: invoice.id,
      // `invoice.period_*` is when usage was collected; the service period is the line's.
      periodStart: (line?.period?.start ?? invoice.period_start ?? invoice.created) * 1000,
      invoiceCreated: invoice.created * 1000,
      credits,
      at,
    },
  };
}

/** The line that pays for the coming period: the latest one that is no proration. */
function serviceLine(invoice: Stripe.Invoice): OlderLine | undefined {
  const lines: readonly OlderLine[] = invoice.lines?.data ?? [];
  const service = lines.filter((line) => !isProration(line));
  return [...service].sort((a, b) => (b.period?.start ?? 0) - (a.period?.start ?? 0))[0];
}

function isProration(line: OlderLine): boolean {
  return line.parent?.subscription_item_details?.proration ?? line.proration ?? false;
}
