import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { isTooSmall } from '../http/values.ts';
import { idOf, newId, randomToken } from '../state/ids.ts';
import type { World } from '../state/world.ts';

export function makeCustomer(now: number, given: Partial<Stripe.Customer>): Stripe.Customer {
  return {
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: now,
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: randomToken(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
    ...given,
  };
}

/** One movement of a customer's balance: negative amounts are what the customer has in hand. */
function makeBalanceTransaction(
  now: number,
  given: {
    customer: string;
    amount: number;
    currency: string;
    endingBalance: number;
    type: Stripe.CustomerBalanceTransaction.Type;
    invoice: string | null;
    description: string | null;
    metadata: Record<string, string>;
  },
): Stripe.CustomerBalanceTransaction {
  return {
    id: newId('cbtxn'),
    object: 'customer_balance_transaction',
    amount: given.amount,
    checkout_session: null,
    created: now,
    credit_note: null,
    currency: given.currency,
    customer: given.customer,
    customer_account: null,
    description: given.description,
    ending_balance: given.endingBalance,
    invoice: given.invoice,
    livemode: false,
    metadata: given.metadata,
    type: given.type,
  };
}

/** What a movement of the balance comes from. */
interface BalanceCause {
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

/** The currency that a customer is billed in while a subscription or a waiting invoice item is; null for none. */
export function billedCurrency(world: World, customer: string): string | null {
  return billed(world, customer)[0]?.currency ?? null;
}

function billed(world: World, customer: string): readonly { currency: string }[] {
  return [
    ...world.tables.subscriptions.filter((row) => idOf(row.customer) === customer && row.ended_at === null),
    ...world.tables.invoice_items.filter((row) => idOf(row.customer) === customer && row.invoice === null),
  ];
}

/**
 * Refuses to bill a customer in a second currency while a subscription or a waiting invoice item is in the first.
 * @throws StripeApiError 400
 */
export function refuseOtherCurrency(world: World, customer: string, currency: string): void {
  const other = billed(world, customer).find((row) => row.currency !== currency);
  if (other === undefined) return;
  throw invalidRequest(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${other.currency}.`,
  );
}
