import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { makeRefund } from '../objects/refund.ts';
import { formatMoney } from '../pages/money.js';
import { idOf, newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { aftermathOf } from './cards.ts';

export interface RefundGiven {
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
  refund.failure_balance_transaction = newId('txn');
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
