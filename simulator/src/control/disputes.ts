import { closeDispute, openDispute } from '../engine/disputes.ts';
import type { ControlRoute } from './context.ts';
import { ControlError, onlyFields, optionalString } from './json.ts';

export const disputeControlRoutes: ControlRoute[] = [
  {
    method: 'POST',
    path: '/dispute',
    handle: ({ world }, body) => {
      onlyFields(body, ['charge', 'outcome']);
      const charge = world.tables.charges.named(optionalString(body, 'charge') ?? '', 'charge');
      const outcome = optionalString(body, 'outcome');
      if (outcome === undefined) return openDispute(world, charge);
      if (outcome !== 'won' && outcome !== 'lost')
        throw new ControlError(400, '"outcome" must be won or lost.');
      const dispute =
        world.tables.disputes.find((row) => row.charge === charge.id) ?? openDispute(world, charge);
      return closeDispute(world, dispute, outcome);
    },
  },
];
