import type Stripe from 'stripe';
import { isTooSmall } from '../http/check-values.ts';
import { makeBalanceTransaction } from '../objects/balance-transaction.ts';
import type { World } from '../state/world.ts';

/** What a movement of the balance comes from. */
export interface BalanceCause {
  type: Stripe.CustomerBalanceTransaction.Type;
  currency: string;
  invoice?: string;
  description?: string | null;
  metadata?: Record<string, string>;
}

/** Moves a customer's balance: down by what they get in hand, up by what they used or owe. */
export function moveBalance(
  world: World,
  customer: Stripe.Customer,
  amount: number,
  cause: BalanceCause,
): Stripe.CustomerBalanceTransaction {
  const scope = world.scopeOf(customer.id);
  const made = world.tables.customer_balance_transactions.insert(
    makeBalanceTransaction(world.clock.now(scope), {
      customer: customer.id,
      amount,
      currency: cause.currency,
      endingBalance: (customer.balance ?? 0) + amount,
      type: cause.type,
      invoice: cause.invoice ?? null,
      description: cause.description ?? null,
      metadata: cause.metadata ?? {},
    }),
  );
  world.change('customer.updated', customer, scope, (row) => {
    row.balance = made.ending_balance;
  });
  return made;
}

/**
 * Settles an invoice that is being finalised with the customer's balance: what they have in hand lowers what is
 * due, a negative total goes into their hand, and what is too little to be charged waits for the next invoice.
 */
export function applyBalance(world: World, invoice: Stripe.Invoice, customer: Stripe.Customer): void {
  const before = customer.balance ?? 0;
  const open = invoice.total + before;
  invoice.starting_balance = before;
  const waits = isTooSmall(open, invoice.currency);
  invoice.amount_due = waits ? 0 : Math.max(0, open);
  invoice.amount_remaining = invoice.amount_due;
  invoice.ending_balance = waits ? open : Math.min(0, open);
  const moved = invoice.ending_balance - before;
  if (moved !== 0)
    moveBalance(world, customer, moved, {
      type: 'applied_to_invoice',
      currency: invoice.currency,
      invoice: invoice.id,
    });
}

/** Gives back what an invoice that is void had taken from the balance, or put there. */
export function unapplyBalance(world: World, invoice: Stripe.Invoice, customer: Stripe.Customer): void {
  const moved = invoice.starting_balance - (invoice.ending_balance ?? invoice.starting_balance);
  if (moved !== 0)
    moveBalance(world, customer, moved, {
      type: 'unapplied_from_invoice',
      currency: invoice.currency,
      invoice: invoice.id,
    });
}
