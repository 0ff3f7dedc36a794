import type { Millis } from '@extension-billing/contract/customer';
import type { Fact } from './events.ts';

/** The newest allowance that an invoice paid for, per subscription. */
export interface AllowanceGrant {
  readonly invoice: string;
  readonly periodStart: Millis;
  /** Absent in facts from before it was kept; null where the invoice named none. */
  readonly periodEnd?: Millis | null;
  readonly invoiceCreated: Millis;
  /** Not the subscription's first invoice. */
  readonly renews?: boolean;
  readonly credits: number;
  /** This or another invoice of the subscription granted credits, whichever became known first. */
  readonly metered: boolean;
  /** This or another invoice of the subscription cost something; absent in facts from before it was kept. */
  readonly costly?: boolean;
}

/** The newer of the grant that is known and the one that was paid for. */
export function mergeGrant(
  before: AllowanceGrant | undefined,
  fact: Extract<Fact, { kind: 'allowance_paid' }>,
): AllowanceGrant {
  const { invoice, periodStart, periodEnd, invoiceCreated, renews, credits } = fact;
  const metered = credits > 0 || before?.metered === true;
  const costly = fact.amountPaid > 0 || before?.costly === true;
  const seen = { invoice, periodStart, periodEnd, invoiceCreated, renews, credits, metered, costly };
  const newest = before !== undefined && compareInvoices(before, seen) >= 0 ? before : seen;
  return { ...newest, metered, costly };
}

/** Newest last: by the period paid for, then the invoice's creation, then its id. */
export function compareGrants(a: AllowanceGrant, b: AllowanceGrant): number {
  return compareTimes(a, b) || (a.invoice === b.invoice ? 0 : a.invoice < b.invoice ? -1 : 1);
}

/** The same for the invoices of one subscription: its first is older than one that renews it, at the same time too. */
export function compareInvoices(a: AllowanceGrant, b: AllowanceGrant): number {
  const renews = Number(a.renews === true) - Number(b.renews === true);
  return compareTimes(a, b) || renews || compareGrants(a, b);
}

function compareTimes(a: AllowanceGrant, b: AllowanceGrant): number {
  return a.periodStart - b.periodStart || a.invoiceCreated - b.invoiceCreated;
}
