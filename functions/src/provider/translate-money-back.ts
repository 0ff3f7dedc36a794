import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { idOf } from './id-of.ts';
import { readMetadata } from './metadata.ts';
import type { Told } from './told.ts';
import { productOf } from './translate-checkout-session.ts';

/**
 * A refund of a charge. `amount_refunded` is cumulative. The charge of a subscription's invoice carries no metadata of
 * ours and changes no right, the subscription's own state does: where the metadata names no product, the refund counts
 * only for a purchase that is known by its payment intent.
 */
export function translateCharge(charge: Stripe.Charge, at: Millis): Told {
  const metadata = readMetadata(charge.metadata);
  return {
    uid: metadata.uid,
    customer: idOf(charge.customer),
    fact: {
      kind: 'charge_refunded',
      purchase: idOf(charge.payment_intent) ?? charge.id,
      charge: charge.id,
      product: productOf(metadata),
      amount: charge.amount,
      refunded: charge.amount_refunded,
      at,
    },
  };
}

/**
 * A dispute holds the money back while it is open and for good when it is lost; a won one restores. Every event of it
 * carries its present status, so an inquiry that becomes a dispute is one from the event that says so
 * (docs/decisions/0102-disputes.md).
 */
export function translateDispute(
  dispute: Stripe.Dispute,
  at: Millis,
): (Told & { readonly fact: Extract<Told['fact'], { kind: 'dispute_seen' }> }) | null {
  const charge = idOf(dispute.charge);
  const outcome = outcomeOf(dispute.status);
  if (charge === null || outcome === null) return null;
  return {
    uid: readMetadata(dispute.metadata).uid,
    customer: null,
    charge,
    fact: {
      kind: 'dispute_seen',
      purchase: idOf(dispute.payment_intent) ?? charge,
      dispute: dispute.id,
      outcome,
      disputed: Number.isSafeInteger(dispute.amount) && dispute.amount >= 0 ? dispute.amount : null,
      // The charge knows; `disputeOn` puts it in.
      amount: null,
      at,
    },
  };
}

/** A refund that the bank sent back: the buyer has not got the money after all. */
export function translateFailedRefund(refund: Stripe.Refund, at: Millis): Told | string {
  const charge = idOf(refund.charge);
  const purchase = idOf(refund.payment_intent) ?? charge;
  if (charge === null || purchase === null) return 'refund without a charge';
  return {
    uid: readMetadata(refund.metadata).uid,
    customer: null,
    charge,
    fact: { kind: 'refund_failed', purchase, refund: refund.id, amount: refund.amount, at },
  };
}

/** Inquiries (`warning_…`) move no money; a status that is not known yet changes nothing. */
function outcomeOf(status: string): 'open' | 'won' | 'lost' | null {
  switch (status) {
    case 'needs_response':
    case 'under_review':
    case 'appeal_needs_response':
    case 'appeal_under_review':
      return 'open';
    case 'won':
      return 'won';
    case 'lost':
    // Prevented by giving the buyer the money back, before it became a dispute.
    case 'prevented':
      return 'lost';
    default:
      return null;
  }
}
