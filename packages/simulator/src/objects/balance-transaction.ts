import type Stripe from 'stripe';
import { newId } from '../state/ids.ts';

/** One movement of a customer's balance: negative amounts are what the customer has in hand. */
export function makeBalanceTransaction(
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
