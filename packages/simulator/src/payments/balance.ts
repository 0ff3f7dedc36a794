import type Stripe from 'stripe';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { newId } from '../state/ids.ts';
import type { ClockScope, World } from '../state/world.ts';

type Kind = 'charge' | 'payment' | 'refund' | 'refund_failure' | 'adjustment';

const CATEGORY: Record<Kind, string> = {
  charge: 'charge',
  payment: 'charge',
  refund: 'refund',
  refund_failure: 'refund_failure',
  adjustment: 'dispute',
};

/** Two days until the money can be paid out. */
const AVAILABLE_AFTER = 2 * 86_400;

/** What Stripe's US price list takes from a card payment: 2.9 % and 30 minor units. */
export const processingFee = (amount: number): number => Math.round(amount * 0.029) + 30;

/** What Stripe takes for a dispute, in minor units. */
export const DISPUTE_FEE = 1500;

interface Movement {
  readonly type: Kind;
  /** Minor units; negative if the money leaves the account. */
  readonly amount: number;
  readonly fee: number;
  readonly currency: string;
  /** The charge, refund or dispute that moved the money. */
  readonly source: string;
  readonly description: string | null;
  readonly scope: ClockScope;
}

/** Books a movement of the account's own balance. */
export function bookBalance(world: World, moved: Movement): Stripe.BalanceTransaction {
  const now = world.clock.now(moved.scope);
  const { amount, currency, description, fee, source, type } = moved;
  return world.tables.balance_transactions.insert({
    id: newId('txn'),
    object: 'balance_transaction',
    amount,
    available_on: now + AVAILABLE_AFTER,
    balance_type: 'payments',
    created: now,
    currency,
    description,
    exchange_rate: null,
    fee,
    fee_details:
      fee === 0
        ? []
        : [
            {
              amount: fee,
              application: null,
              currency,
              description: type === 'adjustment' ? 'Dispute fee' : 'Stripe processing fees',
              type: 'stripe_fee',
            },
          ],
    net: amount - fee,
    reporting_category: CATEGORY[type],
    source,
    status: 'pending',
    type,
  });
}

/** Books a charge that succeeded. */
export function bookCharge(world: World, charge: Stripe.Charge, scope: ClockScope): void {
  charge.balance_transaction = bookBalance(world, {
    type: charge.payment_method_details?.type === 'card' ? 'charge' : 'payment',
    amount: charge.amount,
    fee: processingFee(charge.amount),
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
    scope,
  }).id;
}

export const accountBalanceRoutes = [
  route<Stripe.BalanceTransactionListParams>('GET /v1/balance_transactions', ({ world, params, path }) => {
    const { currency, source, type } = params;
    const rows = world.tables.balance_transactions
      .newestFirst()
      .filter((row) => currency === undefined || row.currency === currency)
      .filter((row) => source === undefined || row.source === source)
      .filter((row) => type === undefined || row.type === type);
    return page(rows, params, path);
  }),
  route('GET /v1/balance_transactions/{id}', ({ world, id }) =>
    world.tables.balance_transactions.inPath(id('id'), 'id'),
  ),
];
