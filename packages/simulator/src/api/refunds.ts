import type Stripe from 'stripe';
import { chargeToRefund, refundCharge } from '../engine/refunds.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { idOf } from '../state/ids.ts';

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
