import type Stripe from 'stripe';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { keptParams } from '../http/supported.ts';
import { mergedMetadata } from '../http/values.ts';
import { idOf, newId } from '../state/ids.ts';
import type { CardRefusal } from './cards.ts';

/** The charge of one attempt at a payment intent; copies the intent's metadata as it is now, once. */
export function makeCharge(
  now: number,
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  refusal: CardRefusal | null,
): Stripe.Charge {
  const id = newId('ch');
  const card = method.card;
  return {
    id,
    object: 'charge',
    amount: intent.amount,
    amount_captured: refusal === null ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { ...method.billing_details },
    calculated_statement_descriptor: 'SIMULATOR',
    captured: refusal === null,
    created: now,
    currency: intent.currency,
    customer: idOf(intent.customer),
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: refusal?.code ?? null,
    failure_message: refusal?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome:
      refusal === null
        ? {
            advice_code: null,
            network_advice_code: null,
            network_decline_code: null,
            network_status: 'approved_by_network',
            reason: null,
            risk_level: 'normal',
            risk_score: 20,
            seller_message: 'Payment complete.',
            type: 'authorized',
          }
        : {
            advice_code: 'try_again_later',
            network_advice_code: null,
            network_decline_code: '01',
            network_status: 'declined_by_network',
            reason: refusal.declineCode,
            risk_level: 'normal',
            risk_score: 20,
            seller_message: 'The bank did not return any further details with this decline.',
            type: 'issuer_declined',
          },
    paid: refusal === null,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: {
      card: {
        amount_authorized: refusal === null ? intent.amount : null,
        authorization_code: null,
        brand: card?.brand ?? null,
        checks: {
          address_line1_check: null,
          address_postal_code_check: null,
          cvc_check: 'pass',
        },
        country: card?.country ?? null,
        electronic_commerce_indicator: null,
        exp_month: card?.exp_month ?? 12,
        exp_year: card?.exp_year ?? 2034,
        fingerprint: card?.fingerprint ?? null,
        funding: card?.funding ?? null,
        installments: null,
        last4: card?.last4 ?? null,
        mandate: null,
        network: card?.brand ?? null,
        network_transaction_id: null,
        regulated_status: 'unregulated',
        three_d_secure: null,
        transaction_link_id: null,
        wallet: null,
      },
      type: 'card',
    },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: intent.shipping,
    source: null,
    source_transfer: null,
    statement_descriptor: intent.statement_descriptor,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: refusal === null ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  };
}

export const chargeRoutes = [
  route<Stripe.ChargeListParams>('GET /v1/charges', ({ world, params, path }) => {
    const { customer, payment_intent: intent } = params;
    const rows = world.tables.charges
      .newestFirst()
      .filter((row) => customer === undefined || idOf(row.customer) === customer)
      .filter((row) => intent === undefined || idOf(row.payment_intent) === intent);
    return page(rows, params, path);
  }),
  route('GET /v1/charges/{charge}', ({ world, id }) => world.tables.charges.inPath(id('charge'))),
  route<Stripe.ChargeUpdateParams>('POST /v1/charges/{charge}', ({ world, id, params }) => {
    const charge = world.tables.charges.inPath(id('charge'));
    world.change('charge.updated', charge, world.scopeOf(idOf(charge.customer)), (row) => {
      if (params.description !== undefined) row.description = params.description || null;
      Object.assign(row, keptParams('POST /v1/charges/{charge}', params));
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    return charge;
  }),
];
