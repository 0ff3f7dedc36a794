import type { Stripe } from 'stripe';
import { idOf } from './id-of.ts';
import { readMetadata } from './metadata.ts';
import { readInstant } from './read-instant.ts';
import { rowsOf } from './rows-of.ts';
import type { ServiceLine } from './told.ts';

/** Before 2025-03-31 a line named its kind, its price and whether it is a proration at its root. */
type OlderLine = Stripe.InvoiceLineItem & {
  readonly type?: string;
  readonly proration?: boolean;
  readonly price?: { readonly id: string; readonly metadata?: Record<string, string> } | null;
};

/** The lines of an invoice that pay for a whole period: no prorations, and nothing that was billed once. */
export function serviceLinesOf(lines: Stripe.Invoice['lines'] | null | undefined): readonly ServiceLine[] {
  return rowsOf<OlderLine>(lines)
    .filter((line) => !isProration(line) && !isOneOff(line))
    .map((line) => ({
      price: idOf(line.price) ?? idOf(line.pricing?.price_details?.price),
      priceMetadata: line.price?.metadata === undefined ? null : readMetadata(line.price.metadata),
      metadata: readMetadata(line.metadata),
      quantity: quantityOf(line.quantity),
      start: readInstant(line.period?.start),
      end: readInstant(line.period?.end),
      isSaid: (line.parent?.subscription_item_details ?? null) !== null || line.type === 'subscription',
    }));
}

/** How many of a price are billed; one where the provider names no number, as for what is metered by it. */
export function quantityOf(quantity: unknown): number {
  return typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity >= 0 ? quantity : 1;
}

function isProration({ parent, proration }: OlderLine): boolean {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details;
  return details?.proration ?? proration ?? false;
}

function isOneOff({ parent, type }: OlderLine): boolean {
  return (parent?.invoice_item_details ?? null) !== null || type === 'invoiceitem';
}
