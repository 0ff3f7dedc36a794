import type { Fact } from '../domain/events.ts';
import type { InvoiceQuestion } from './translate-invoice.ts';

/** What one object tells, before it is known whose it is. */
export interface Told {
  readonly fact: Fact;
  readonly uid: unknown;
  readonly customer: string | null;
  readonly charge?: string | null;
  readonly ask?: InvoiceQuestion | null;
}
