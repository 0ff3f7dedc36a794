import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { makeDispute } from '../objects/dispute.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/**
 * The customer's bank takes a charge back: `charge.dispute.created`.
 *
 * @param amount minor currency units, where only a part is disputed
 */
export function openDispute(
  world: World,
  charge: Stripe.Charge,
  amount: number = charge.amount,
): Stripe.Dispute {
  if (!charge.paid || charge.disputed)
    throw invalidRequest(`Charge ${charge.id} cannot be disputed.`, 'charge');
  const scope = world.scopeOf(idOf(charge.customer));
  const dispute = world.tables.disputes.insert({ ...makeDispute(world.clock.now(scope), charge), amount });
  charge.disputed = true;
  world.emit('charge.dispute.created', dispute, scope);
  world.emit('charge.dispute.funds_withdrawn', dispute, scope);
  return dispute;
}

/** The bank only asks, and takes no money yet: a dispute in status `warning_needs_response`. */
export function openInquiry(world: World, charge: Stripe.Charge): Stripe.Dispute {
  const scope = world.scopeOf(idOf(charge.customer));
  const inquiry = world.tables.disputes.insert(makeDispute(world.clock.now(scope), charge));
  inquiry.status = 'warning_needs_response';
  charge.disputed = true;
  world.emit('charge.dispute.created', inquiry, scope);
  return inquiry;
}

/** The bank is not content with the answer to its inquiry, and takes the money. */
export function escalateInquiry(world: World, inquiry: Stripe.Dispute): Stripe.Dispute {
  if (!inquiry.status.startsWith('warning_') || inquiry.status === 'warning_closed')
    throw invalidRequest('Only an open inquiry becomes a dispute.', 'dispute');
  const charge = world.tables.charges.known(idOf(inquiry.charge));
  const scope = world.scopeOf(idOf(charge.customer));
  world.change('charge.dispute.updated', inquiry, scope, (row) => {
    row.status = 'needs_response';
  });
  world.emit('charge.dispute.funds_withdrawn', inquiry, scope);
  return inquiry;
}

/** The buyer got the money back before it became a dispute. */
export function preventDispute(world: World, charge: Stripe.Charge): Stripe.Dispute {
  const scope = world.scopeOf(idOf(charge.customer));
  const prevented = world.tables.disputes.insert(makeDispute(world.clock.now(scope), charge));
  prevented.status = 'prevented';
  charge.disputed = true;
  world.emit('charge.dispute.created', prevented, scope);
  world.emit('charge.dispute.closed', prevented, scope);
  return prevented;
}

/** The bank decides. A dispute that is won gives the money back; `disputed` stays true on the charge. */
export function closeDispute(world: World, dispute: Stripe.Dispute, status: 'won' | 'lost'): Stripe.Dispute {
  const isOver = ['won', 'lost', 'prevented', 'warning_closed'].includes(dispute.status);
  if (isOver) throw invalidRequest('This dispute is already closed.', undefined, 'dispute_closed');
  const charge = world.tables.charges.known(idOf(dispute.charge));
  const scope = world.scopeOf(idOf(charge.customer));
  const isInquiry = dispute.status.startsWith('warning_');
  dispute.status = isInquiry ? 'warning_closed' : status;
  if (status === 'won' && !isInquiry) world.emit('charge.dispute.funds_reinstated', dispute, scope);
  world.emit('charge.dispute.closed', dispute, scope);
  return dispute;
}

/** Stripe's magic words in test mode: they decide a dispute as soon as they are submitted. */
function decisionOf(text: string | undefined): 'won' | 'lost' | null {
  if (text === 'winning_evidence') return 'won';
  return text === 'losing_evidence' ? 'lost' : null;
}

/** Takes evidence; submitted, it goes to the bank, which in test mode answers at once to the magic words. */
export function submitEvidence(
  world: World,
  dispute: Stripe.Dispute,
  params: Stripe.DisputeUpdateParams,
): Stripe.Dispute {
  const text = params.evidence?.uncategorized_text;
  if (text !== undefined) {
    dispute.evidence.uncategorized_text = text;
    dispute.evidence_details.has_evidence = true;
  }
  const decision = decisionOf(text);
  if (text === undefined || params.submit === false) return dispute;
  dispute.evidence_details.submission_count += 1;
  if (decision !== null) return closeDispute(world, dispute, decision);
  const charge = world.tables.charges.known(idOf(dispute.charge));
  world.change('charge.dispute.updated', dispute, world.scopeOf(idOf(charge.customer)), (row) => {
    row.status = 'under_review';
  });
  return dispute;
}
