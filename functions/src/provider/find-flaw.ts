import { isDocumentId } from '../domain/document-id.ts';
import type { Fact } from '../domain/events.ts';

/** The provider's ids have up to 255 characters. */
const LONGEST_ID = 255;

/**
 * Why a fact cannot be kept, or null: an id that names nothing, an amount that is none. Stripe sends no such thing; an
 * event that someone made by hand may, and it would be delivered again for days if it ended in an error.
 */
export function findFlaw(fact: Fact, customer: string | null, charge: string | null): string | null {
  if (customer !== null && !isId(customer)) return 'illegal customer id';
  if (charge !== null && !isId(charge)) return 'illegal charge id';
  switch (fact.kind) {
    case 'subscription_seen':
    case 'subscription_asked':
      return isId(fact.subscription) ? null : 'illegal subscription id';
    case 'purchase_paid':
      return isId(fact.purchase) ? null : 'illegal purchase id';
    case 'charge_refunded':
      if (!isId(fact.purchase) || !isId(fact.charge)) return 'illegal charge id';
      return isAmount(fact.amount) && isAmount(fact.refunded) ? null : 'refund without its amounts';
    case 'refund_failed':
      if (!isId(fact.purchase) || !isId(fact.refund)) return 'illegal refund id';
      return isAmount(fact.amount) ? null : 'refund without its amount';
    case 'dispute_seen':
      return isId(fact.purchase) && isId(fact.dispute) ? null : 'illegal dispute id';
    case 'invoice_disputed':
      if (!isId(fact.invoice) || !isId(fact.subscription)) return 'illegal invoice id';
      return isId(fact.dispute) ? null : 'illegal dispute id';
    case 'allowance_paid':
      return isId(fact.subscription) && isId(fact.invoice) ? null : 'illegal invoice id';
    case 'customer_deleted':
      return customer === null ? 'a customer without an id' : null;
    case 'customer_seen':
      return null;
    default:
      return fact satisfies never;
  }
}

/** What the facts are keyed by, so no name that every object has either. */
function isId(id: unknown): boolean {
  return isDocumentId(id, LONGEST_ID) && !(id in Object.prototype);
}

/** Minor currency units. */
function isAmount(amount: unknown): boolean {
  return Number.isSafeInteger(amount) && Number(amount) >= 0;
}
