import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { mergedMetadata } from '../http/values.ts';
import { bookBalance, DISPUTE_FEE } from '../payments/balance.ts';
import { idOf, newId } from '../state/ids.ts';
import type { ClockScope, World } from '../state/world.ts';

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

/** The bank has taken the whole charge back and asks for evidence. */
function makeDispute(now: number, charge: Stripe.Charge): Stripe.Dispute {
  return {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...NO_EVIDENCE },
    evidence_details: {
      due_by: now + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: idOf(charge.payment_intent),
    payment_method_details: {
      card: {
        brand: charge.payment_method_details?.card?.brand ?? 'visa',
        case_type: 'chargeback',
        network: charge.payment_method_details?.card?.network ?? 'visa',
        network_reason_code: '10.4',
      },
      type: 'card',
    },
    reason: 'fraudulent',
    status: 'needs_response',
  };
}

/** Books the disputed amount as taken by the bank, or given back. */
function moveFunds(
  world: World,
  dispute: Stripe.Dispute,
  way: 'withdrawn' | 'reinstated',
  scope: ClockScope,
): void {
  const isTaken = way === 'withdrawn';
  const booked = bookBalance(world, {
    type: 'adjustment',
    amount: isTaken ? -dispute.amount : dispute.amount,
    fee: isTaken ? DISPUTE_FEE : 0,
    currency: dispute.currency,
    source: dispute.id,
    description: `Chargeback ${way} for ${idOf(dispute.charge)}`,
    scope,
  });
  dispute.balance_transactions.push(booked);
}

/** A dispute of which the owner has just heard; the charge counts as disputed from then on. */
function begin(world: World, charge: Stripe.Charge, given: Partial<Stripe.Dispute>) {
  const scope = world.scopeOf(idOf(charge.customer));
  const dispute = world.tables.disputes.insert({ ...makeDispute(world.clock.now(scope), charge), ...given });
  charge.disputed = true;
  if (dispute.status === 'needs_response') moveFunds(world, dispute, 'withdrawn', scope);
  world.emit('charge.dispute.created', dispute, scope);
  return { dispute, scope };
}

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
  const { dispute, scope } = begin(world, charge, { amount });
  world.emit('charge.dispute.funds_withdrawn', dispute, scope);
  return dispute;
}

/** The bank only asks, and takes no money yet: a dispute in status `warning_needs_response`. */
export function openInquiry(world: World, charge: Stripe.Charge): Stripe.Dispute {
  return begin(world, charge, { status: 'warning_needs_response' }).dispute;
}

/** The buyer got the money back before it became a dispute. */
export function preventDispute(world: World, charge: Stripe.Charge): Stripe.Dispute {
  const { dispute, scope } = begin(world, charge, { status: 'prevented' });
  world.emit('charge.dispute.closed', dispute, scope);
  return dispute;
}

/** The bank is not content with the answer to its inquiry, and takes the money. */
export function escalateInquiry(world: World, inquiry: Stripe.Dispute): Stripe.Dispute {
  if (!inquiry.status.startsWith('warning_') || inquiry.status === 'warning_closed')
    throw invalidRequest('Only an open inquiry becomes a dispute.', 'dispute');
  const charge = world.tables.charges.known(idOf(inquiry.charge));
  const scope = world.scopeOf(idOf(charge.customer));
  world.change('charge.dispute.updated', inquiry, scope, (row) => {
    row.status = 'needs_response';
    moveFunds(world, row, 'withdrawn', scope);
  });
  world.emit('charge.dispute.funds_withdrawn', inquiry, scope);
  return inquiry;
}

/** The bank decides. A dispute that is won gives the money back; `disputed` stays true on the charge. */
export function closeDispute(world: World, dispute: Stripe.Dispute, status: 'won' | 'lost'): Stripe.Dispute {
  const isOver = ['won', 'lost', 'prevented', 'warning_closed'].includes(dispute.status);
  if (isOver) throw invalidRequest('This dispute is already closed.', undefined, 'dispute_closed');
  const charge = world.tables.charges.known(idOf(dispute.charge));
  const scope = world.scopeOf(idOf(charge.customer));
  const isInquiry = dispute.status.startsWith('warning_');
  world.facts.disputeDecisions.delete(dispute.id);
  dispute.status = isInquiry ? 'warning_closed' : status;
  if (status === 'won' && !isInquiry) {
    moveFunds(world, dispute, 'reinstated', scope);
    world.emit('charge.dispute.funds_reinstated', dispute, scope);
  }
  world.emit('charge.dispute.closed', dispute, scope);
  return dispute;
}

/** Stripe's magic words in test mode: they decide a dispute shortly after they are submitted. */
function decisionOf(text: string | undefined): 'won' | 'lost' | null {
  if (text === 'winning_evidence') return 'won';
  return text === 'losing_evidence' ? 'lost' : null;
}

/** Takes metadata and evidence. Submitted evidence goes to the bank, whose decision follows in `settle`. */
function updateDispute(world: World, dispute: Stripe.Dispute, params: Stripe.DisputeUpdateParams): void {
  const text = params.evidence?.uncategorized_text;
  const isSubmitted = text !== undefined && params.submit !== false;
  const isInquiry = dispute.status.startsWith('warning_');
  const charge = world.tables.charges.known(idOf(dispute.charge));
  const scope = world.scopeOf(idOf(charge.customer));
  world.change('charge.dispute.updated', dispute, scope, (row) => {
    row.metadata = mergedMetadata(row.metadata, params.metadata);
    if (text === undefined) return;
    row.evidence.uncategorized_text = text;
    row.evidence_details.has_evidence = true;
    if (!isSubmitted) return;
    row.evidence_details.submission_count += 1;
    row.status = isInquiry ? 'warning_under_review' : 'under_review';
  });
  const status = decisionOf(text);
  if (isSubmitted && status !== null)
    world.facts.disputeDecisions.set(dispute.id, { status, at: world.clock.now(scope) });
}

export const disputeRoutes = [
  route<Stripe.DisputeListParams>('GET /v1/disputes', ({ world, params, path }) => {
    const { charge, payment_intent: intent } = params;
    const rows = world.tables.disputes
      .newestFirst()
      .filter((row) => charge === undefined || row.charge === charge)
      .filter((row) => intent === undefined || row.payment_intent === intent);
    return page(rows, params, path);
  }),
  route('GET /v1/disputes/{dispute}', ({ world, id }) => world.tables.disputes.inPath(id('dispute'))),
  route<Stripe.DisputeUpdateParams>('POST /v1/disputes/{dispute}', ({ world, id, params }) => {
    const dispute = world.tables.disputes.inPath(id('dispute'));
    updateDispute(world, dispute, params);
    return dispute;
  }),
  route('POST /v1/disputes/{dispute}/close', ({ world, id }) =>
    closeDispute(world, world.tables.disputes.inPath(id('dispute')), 'lost'),
  ),
];
