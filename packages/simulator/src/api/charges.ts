import type Stripe from 'stripe';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { idOf } from '../state/ids.ts';

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
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    return charge;
  }),
];
