import type Stripe from 'stripe';
import { moveBalance } from '../engine/customer-balance.ts';
import { currencyGiven } from '../http/check-values.ts';
import { missingResource } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';

/** A customer's credit balance: what downgrades leave in hand, and what is given by hand. */
export const balanceTransactionRoutes = [
  route<Stripe.CustomerListBalanceTransactionsParams>(
    'GET /v1/customers/{customer}/balance_transactions',
    ({ world, id, params, path }) => {
      const customer = world.tables.customers.inPath(id('customer'));
      const rows = world.tables.customer_balance_transactions
        .newestFirst()
        .filter((row) => row.customer === customer.id)
        .filter((row) => params.invoice === undefined || row.invoice === params.invoice);
      return page(rows, params, path);
    },
  ),
  route<Stripe.CustomerCreateBalanceTransactionParams>(
    'POST /v1/customers/{customer}/balance_transactions',
    ({ world, id, params }) =>
      moveBalance(world, world.tables.customers.inPath(id('customer')), params.amount, {
        type: 'adjustment',
        currency: currencyGiven(params.currency),
        description: params.description || null,
        metadata: mergedMetadata(null, params.metadata),
      }),
  ),
  route('GET /v1/customers/{customer}/balance_transactions/{transaction}', ({ world, id }) => {
    const found = world.tables.customer_balance_transactions.inPath(id('transaction'));
    if (found.customer !== id('customer')) throw missingResource('transaction', found.id, 'transaction', 404);
    return found;
  }),
];
