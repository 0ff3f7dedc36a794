import type Stripe from 'stripe';
import {
  closeDispute,
  escalateInquiry,
  openDispute,
  openInquiry,
  preventDispute,
} from '../engine/disputes.ts';
import type { World } from '../state/world.ts';
import type { ControlRoute } from './context.ts';
import { ControlError, onlyFields, optionalString } from './json.ts';

export const disputeControlRoutes: ControlRoute[] = [
  {
    method: 'POST',
    path: '/dispute',
    handle: ({ world }, body) => {
      onlyFields(body, ['charge', 'outcome', 'amount']);
      const charge = world.tables.charges.named(optionalString(body, 'charge') ?? '', 'charge');
      return dispute(world, charge, optionalString(body, 'outcome'), amountIn(body.amount, charge));
    },
  },
];

/** Brings the charge's dispute to the outcome; where there is none yet it is opened first. */
function dispute(
  world: World,
  charge: Stripe.Charge,
  outcome: string | undefined,
  amount: number,
): Stripe.Dispute {
  const open = () =>
    world.tables.disputes.find((row) => row.charge === charge.id) ?? openDispute(world, charge, amount);
  switch (outcome) {
    case undefined:
      return openDispute(world, charge, amount);
    case 'inquiry':
      return openInquiry(world, charge);
    case 'escalated':
      return escalateInquiry(world, open());
    case 'prevented':
      return preventDispute(world, charge);
    case 'won':
    case 'lost':
      return closeDispute(world, open(), outcome);
    default:
      throw new ControlError(400, '"outcome" must be won, lost, inquiry, escalated or prevented.');
  }
}

function amountIn(amount: unknown, charge: Stripe.Charge): number {
  if (amount === undefined) return charge.amount;
  if (typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0 && amount <= charge.amount)
    return amount;
  throw new ControlError(400, `"amount" must be a whole number up to ${charge.amount}.`);
}
