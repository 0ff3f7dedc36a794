import type Stripe from 'stripe';
import { paySession } from '../checkout/pay.ts';
import { attachCard, createCard, makeDefaultCard } from '../payments/attempt.ts';
import { cardDigits, isCardNumber } from '../payments/cards.ts';
import { answerBank } from '../payments/intents.ts';
import {
  closeDispute,
  escalateInquiry,
  openDispute,
  openInquiry,
  preventDispute,
} from '../refunds-disputes/disputes.ts';
import { chargeToRefund, refundCharge } from '../refunds-disputes/refunds.ts';
import type { World } from '../state/world.ts';
import { currentPeriodEnd, endSubscription, scheduleCancellation } from '../subscriptions/subscription.ts';
import {
  ControlError,
  type ControlRoute,
  onlyFields,
  optionalBoolean,
  optionalNumber,
  optionalString,
} from './route.ts';

export const billingRoutes: ControlRoute[] = [
  {
    method: 'POST',
    path: '/checkout/:id/pay',
    handle: ({ world }, body, id) => {
      onlyFields(body, ['card', 'email']);
      const session = world.tables.checkout_sessions.inPath(id, 'session');
      const number = cardDigits(optionalString(body, 'card') ?? '4242424242424242');
      const card = {
        number,
        email: optionalString(body, 'email') ?? 'buyer@example.com',
        name: 'Test Buyer',
      };
      const paid = paySession(world, session, card, true);
      if (paid.outcome === 'closed') throw new ControlError(409, `The session is ${paid.status}.`);
      if (paid.outcome === 'refused') throw new ControlError(402, paid.refusal.message);
      if (paid.outcome === 'asks') throw new ControlError(409, 'The card asks for 3-D Secure.');
      return { redirect: paid.redirect };
    },
  },
  {
    method: 'POST',
    path: '/checkout/:id/cancel',
    handle: ({ world }, body, id) => {
      onlyFields(body, []);
      return { redirect: world.tables.checkout_sessions.inPath(id, 'session').cancel_url };
    },
  },
  {
    method: 'POST',
    path: '/customers/:id/card',
    handle: ({ world }, body, id) => {
      onlyFields(body, ['card']);
      const customer = world.tables.customers.inPath(id, 'id');
      const number = cardDigits(optionalString(body, 'card') ?? '');
      if (!isCardNumber(number))
        throw new ControlError(400, '"card" must be a card number, such as 4000000000000341.');
      const typed = { number, email: customer.email, name: customer.name ?? null };
      const card = createCard(world, typed, world.nowFor(customer.id));
      attachCard(world, card, customer);
      makeDefaultCard(world, card, customer);
      return card;
    },
  },
  {
    method: 'POST',
    path: '/payment_intents/:id/authenticate',
    handle: ({ world }, body, id) => {
      onlyFields(body, ['passed']);
      const intent = world.tables.payment_intents.inPath(id, 'intent');
      const redirect = answerBank(world, intent, optionalBoolean(body, 'passed') ?? true);
      return { status: intent.status, redirect };
    },
  },
  {
    method: 'POST',
    path: '/refund',
    handle: ({ world }, body) => {
      onlyFields(body, ['charge', 'payment_intent', 'amount']);
      const charge = optionalString(body, 'charge');
      const intent = optionalString(body, 'payment_intent');
      const named = {
        ...(charge === undefined ? {} : { charge }),
        ...(intent === undefined ? {} : { payment_intent: intent }),
      };
      return refundCharge(world, chargeToRefund(world, named), {
        amount: optionalNumber(body, 'amount'),
        reason: 'requested_by_customer',
        metadata: {},
      });
    },
  },
  {
    method: 'POST',
    path: '/subscriptions/:id/cancel',
    handle: ({ world }, body, id) => {
      onlyFields(body, ['at_period_end']);
      const subscription = world.tables.subscriptions.inPath(id, 'id');
      if (subscription.ended_at !== null) throw new ControlError(409, 'The subscription has ended.');
      if (optionalBoolean(body, 'at_period_end') === true)
        scheduleCancellation(world, subscription, {
          at: currentPeriodEnd(subscription),
          byPeriodEndSwitch: true,
        });
      else endSubscription(world, subscription, 'cancellation_requested');
      return subscription;
    },
  },
];

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
