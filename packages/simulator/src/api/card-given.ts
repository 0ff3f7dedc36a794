import type Stripe from 'stripe';
import { createCard } from '../engine/payments.ts';
import type { World } from '../state/world.ts';

/** The payment methods that Stripe's test mode has ready, by the number of the card they stand for. */
const READY: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_amex: '378282246310005',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_visa_chargeDeclined: '4000000000000002',
  pm_card_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_chargeDeclinedExpiredCard: '4000000000000069',
  pm_card_chargeDeclinedIncorrectCvc: '4000000000000127',
  pm_card_chargeDeclinedProcessingError: '4000000000000119',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_refundFail: '4000000000005126',
  pm_card_createDisputeInquiry: '4000000000001976',
  pm_card_createDispute: '4000000000000259',
  pm_card_threeDSecure2Required: '4000000000003220',
  pm_card_threeDSecureRequired: '4000000000003063',
  pm_card_threeDSecureRequiredChargeDeclined: '4000008400001629',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_authenticationRequiredOnSetup: '4000002500003155',
  pm_card_authenticationRequiredSetupForOffSession: '4000003800000446',
  pm_card_authenticationRequiredChargeDeclinedInsufficientFunds: '4000008260003178',
  tok_visa: '4242424242424242',
  tok_mastercard: '5555555555554444',
  tok_chargeDeclined: '4000000000000002',
  tok_chargeCustomerFail: '4000000000000341',
  tok_createDispute: '4000000000000259',
};

/** The number behind one of Stripe's ready-made test tokens, or undefined for anything else. */
export function readyCardNumber(token: string): string | undefined {
  return Object.hasOwn(READY, token) ? READY[token] : undefined;
}

/** The payment method that a request names: an own one by id, or a new one from a ready-made token. */
export function cardGiven(
  world: World,
  name: string,
  customer: string | null,
  param: string,
): Stripe.PaymentMethod {
  const number = readyCardNumber(name);
  if (number === undefined) return world.tables.payment_methods.named(name, param);
  return createCard(world, { number, email: null, name: null }, world.nowFor(customer));
}
