import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import type { Fact } from '../domain/events.ts';
import type { PurchaseMetadata } from './metadata.ts';

/** What one object tells, before it is known whose it is. */
export interface Told {
  readonly fact: Fact;
  readonly uid: unknown;
  readonly customer: string | null;
  readonly charge?: string | null;
  readonly ask?: InvoiceQuestion | null;
}

/** What the invoice leaves open, for `completeInvoice` to ask. */
export type InvoiceQuestion =
  /** It has more lines than an event carries, and the one that counts is not among those. */
  | { readonly kind: 'lines'; readonly invoice: Stripe.Invoice; readonly at: Millis }
  /** Its prices are not the one that was bought here: theirs is the last word on the credits. */
  | { readonly kind: 'prices'; readonly lines: readonly (ServiceLine & { readonly price: string })[] };

/** A line that pays for a whole period of a price that a subscription has. */
export interface ServiceLine {
  readonly price: string | null;
  /** What the price itself says, where the line has it whole. */
  readonly priceMetadata: PurchaseMetadata | null;
  readonly metadata: PurchaseMetadata;
  readonly quantity: number;
  readonly start: Millis | null;
  readonly end: Millis | null;
  /** The line says that a subscription's price is billed; a line from a tool or a test may say nothing. */
  readonly isSaid: boolean;
}
