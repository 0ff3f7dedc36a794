import { invalidRequest } from '../http/errors.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/**
 * Refuses to bill a customer in a second currency while a subscription or a waiting invoice item is in the first.
 * @throws StripeApiError 400
 */
export function refuseOtherCurrency(world: World, customer: string, currency: string): void {
  const billed = [
    ...world.tables.subscriptions.filter((row) => idOf(row.customer) === customer && row.ended_at === null),
    ...world.tables.invoice_items.filter((row) => idOf(row.customer) === customer && row.invoice === null),
  ];
  const other = billed.find((row) => row.currency !== currency);
  if (other === undefined) return;
  throw invalidRequest(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${other.currency}.`,
  );
}
