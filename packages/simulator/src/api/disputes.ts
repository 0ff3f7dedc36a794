import type Stripe from 'stripe';
import { closeDispute, submitEvidence } from '../engine/disputes.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { idOf } from '../state/ids.ts';

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
    const charge = world.tables.charges.known(idOf(dispute.charge));
    world.change('charge.dispute.updated', dispute, world.scopeOf(idOf(charge.customer)), (row) => {
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    return submitEvidence(world, dispute, params);
  }),
  route('POST /v1/disputes/{dispute}/close', ({ world, id }) =>
    closeDispute(world, world.tables.disputes.inPath(id('dispute')), 'lost'),
  ),
];
