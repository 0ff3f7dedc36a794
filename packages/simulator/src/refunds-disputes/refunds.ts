import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { mergedMetadata } from '../http/values.ts';
import { formatMoney } from '../pages/money.js';
import { bookBalance } from '../payments/balance.ts';
import { aftermathOf } from '../payments/cards.ts';
import { idOf, newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';

function makeRefund(
  now: number,
  charge: Stripe.Charge,
  given: { amount: number; reason: Stripe.Refund.Reason | null; metadata: Record<string, string> },
): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount: given.amount,
    balance_transaction: null,
    charge: charge.id,
    created: now,
    currency: charge.currency,
    customer: idOf(charge.customer),
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    metadata: given.metadata,
    payment_intent: idOf(charge.payment_intent),
    payment_method: charge.payment_method,
    reason: given.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}

interface RefundGiven {
  /** Minor units; what is left when absent. */
  amount: number | undefined;
  reason: Stripe.Refund.Reason | null;
  metadata: Record<string, string>;
}

/** Gives money back: a refund, and the charge with its new cumulative `amount_refunded`. */
export function refundCharge(world: World, charge: Stripe.Charge, given: RefundGiven): Stripe.Refund {
  const left = charge.amount - charge.amount_refunded;
  if (!charge.paid)
    throw invalidRequest(`This charge was not successful, so it cannot be refunded.`, 'charge');
  if (left === 0)
    throw invalidRequest(
      `Charge ${charge.id} has already been refunded.`,
      undefined,
      'charge_already_refunded',
    );
  const dispute = world.tables.disputes.find((row) => idOf(row.charge) === charge.id);
  if (
    dispute?.status === 'needs_response' ||
    dispute?.status === 'under_review' ||
    dispute?.status === 'lost'
  )
    throw invalidRequest(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      undefined,
      'charge_disputed',
    );
  const amount = given.amount ?? left;
  if (amount < 1) throw invalidRequest('Invalid positive integer', 'amount', 'parameter_invalid_integer');
  if (amount > left)
    throw invalidRequest(
      charge.amount_refunded === 0
        ? `Refund amount (${formatMoney(amount, charge.currency)}) is greater than charge amount (${formatMoney(charge.amount, charge.currency)})`
        : `Refund amount (${formatMoney(amount, charge.currency)}) is greater than unrefunded amount on charge (${formatMoney(left, charge.currency)})`,
      'amount',
    );
  const scope = world.scopeOf(idOf(charge.customer));
  const refund = world.tables.refunds.insert(
    makeRefund(world.clock.now(scope), charge, { ...given, amount }),
  );
  refund.balance_transaction = bookBalance(world, {
    type: 'refund',
    amount: -amount,
    fee: 0,
    currency: charge.currency,
    source: refund.id,
    description: null,
    scope,
  }).id;
  world.change('charge.refunded', charge, scope, (row) => {
    row.amount_refunded += amount;
    row.refunded = row.amount_refunded === row.amount;
  });
  world.emit('refund.created', refund, scope);
  if (aftermathOf(world.facts.cardNumbers.get(charge.payment_method ?? '') ?? '') === 'refund_fails')
    world.facts.failingRefunds.add(refund.id);
  return refund;
}

/** How long a refund that fails looks as if it had succeeded. */
export const REFUND_FAILS_AFTER = 60;

/** The bank sent the money back: the charge's `amount_refunded` falls again, and no `charge.refunded` says so. */
export function failRefund(world: World, refund: Stripe.Refund): void {
  const charge = world.tables.charges.known(idOf(refund.charge));
  const scope = world.scopeOf(idOf(charge.customer));
  world.facts.failingRefunds.delete(refund.id);
  refund.status = 'failed';
  refund.failure_reason = 'expired_or_canceled_card';
  refund.failure_balance_transaction = bookBalance(world, {
    type: 'refund_failure',
    amount: refund.amount,
    fee: 0,
    currency: refund.currency,
    source: refund.id,
    description: null,
    scope,
  }).id;
  charge.amount_refunded -= refund.amount;
  charge.refunded = false;
  world.emit('charge.refund.updated', refund, scope);
  world.emit('refund.updated', refund, scope);
  world.emit('refund.failed', refund, scope);
}

/** The charge that a refund's parameters name. */
export function chargeToRefund(
  world: World,
  params: { charge?: string; payment_intent?: string },
): Stripe.Charge {
  if (params.charge !== undefined) return world.tables.charges.named(params.charge, 'charge');
  if (params.payment_intent === undefined)
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  const intent = world.tables.payment_intents.named(params.payment_intent, 'payment_intent');
  const charge = world.tables.charges.get(idOf(intent.latest_charge));
  if (charge === undefined)
    throw invalidRequest(
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
      'payment_intent',
    );
  return charge;
}

export const refundRoutes = [
  route<Stripe.RefundListParams>('GET /v1/refunds', ({ world, params, path }) => {
    const { charge, payment_intent: intent } = params;
    const rows = world.tables.refunds
      .newestFirst()
      .filter((row) => charge === undefined || row.charge === charge)
      .filter((row) => intent === undefined || row.payment_intent === intent);
    return page(rows, params, path);
  }),
  route<Stripe.RefundCreateParams>('POST /v1/refunds', ({ world, params }) =>
    refundCharge(world, chargeToRefund(world, params), {
      amount: params.amount,
      reason: params.reason ?? null,
      metadata: mergedMetadata(null, params.metadata),
    }),
  ),
  route('GET /v1/refunds/{refund}', ({ world, id }) => world.tables.refunds.inPath(id('refund'))),
  route<Stripe.RefundUpdateParams>('POST /v1/refunds/{refund}', ({ world, id, params }) => {
    const refund = world.tables.refunds.inPath(id('refund'));
    const charge = world.tables.charges.get(idOf(refund.charge));
    world.change('refund.updated', refund, world.scopeOf(idOf(charge?.customer)), (row) => {
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    return refund;
  }),
];
