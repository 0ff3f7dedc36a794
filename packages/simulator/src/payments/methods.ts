import type Stripe from 'stripe';
import { cardError, invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { addressOf, keptParams } from '../http/supported.ts';
import { checkEmail, mergedMetadata } from '../http/values.ts';
import { newId, randomToken } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { attachCard, createCard } from './attempt.ts';
import { billingDetails, cardDigits, isCardNumber, refusalOfSetup } from './cards.ts';

/** The payment methods that Stripe's test mode has ready, by the number of the card they stand for. */
const READY: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_amex: '378282246310005',
  pm_card_discover: '6011111111111117',
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
function readyCardNumber(token: string): string | undefined {
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

/** A bank account that is debited by SEPA. */
function makeSepaDebit(
  now: number,
  given: { iban: string; email: string | null; name: string | null },
): Stripe.PaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billingDetails(given),
    created: now,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    sepa_debit: {
      bank_code: given.iban.slice(4, 9),
      branch_code: '',
      country: given.iban.slice(0, 2),
      fingerprint: randomToken(16),
      generated_from: { charge: null, setup_attempt: null },
      last4: given.iban.slice(-4),
    },
    type: 'sepa_debit',
  };
}

/** Adds what was given with a new payment method beside its number. */
function withDetails(
  method: Stripe.PaymentMethod,
  params: Stripe.PaymentMethodCreateParams,
  metadata: Record<string, string>,
): Stripe.PaymentMethod {
  const billing = params.billing_details;
  method.metadata = metadata;
  method.billing_details.address = addressOf(billing?.address) ?? method.billing_details.address;
  method.billing_details.phone = billing?.phone || null;
  return Object.assign(method, keptParams('POST /v1/payment_methods', params));
}

export const paymentMethodRoutes = [
  route<Stripe.PaymentMethodListParams>('GET /v1/payment_methods', ({ world, params, path }) => {
    const rows = world.tables.payment_methods
      .newestFirst()
      .filter(
        (row) => row.customer !== null && (params.customer === undefined || row.customer === params.customer),
      )
      .filter((row) => params.type === undefined || row.type === params.type)
      .filter(
        ({ allow_redisplay: may }) => params.allow_redisplay === undefined || may === params.allow_redisplay,
      );
    return page(rows, params, path);
  }),
  route<Stripe.PaymentMethodCreateParams>('POST /v1/payment_methods', ({ world, params }) => {
    const billing = params.billing_details;
    checkEmail(billing?.email, 'billing_details[email]');
    const metadata = mergedMetadata(null, params.metadata);
    if (params.type === 'sepa_debit') {
      const iban = params.sepa_debit?.iban ?? '';
      const typed = { iban, email: billing?.email || null, name: billing?.name || null };
      const debit = world.tables.payment_methods.insert(makeSepaDebit(world.clock.now(), typed));
      world.facts.cardNumbers.set(debit.id, iban);
      return withDetails(debit, params, metadata);
    }
    if (params.type !== undefined && params.type !== 'card')
      throw invalidRequest('The simulator has cards and SEPA debits only.', 'type');
    const given: { number?: string; token?: string } = params.card ?? {};
    const number =
      given.token === undefined ? cardDigits(given.number ?? '') : (readyCardNumber(given.token) ?? '');
    if (!isCardNumber(number))
      throw cardError({
        code: 'incorrect_number',
        message: 'Your card number is incorrect.',
        param: 'number',
      });
    const typed = { number, email: billing?.email || null, name: billing?.name || null };
    const card = createCard(world, typed, world.clock.now());
    return withDetails(card, params, metadata);
  }),
  route('GET /v1/payment_methods/{payment_method}', ({ world, id }) => {
    return world.tables.payment_methods.inPath(id('payment_method'), 'payment_method');
  }),
  route<Stripe.PaymentMethodUpdateParams>(
    'POST /v1/payment_methods/{payment_method}',
    ({ world, id, params }) => {
      const method = world.tables.payment_methods.inPath(id('payment_method'), 'payment_method');
      method.metadata = mergedMetadata(method.metadata, params.metadata);
      Object.assign(method, keptParams('POST /v1/payment_methods/{payment_method}', params));
      if (method.card !== undefined) Object.assign(method.card, params.card);
      return method;
    },
  ),
  route<Stripe.PaymentMethodAttachParams>(
    'POST /v1/payment_methods/{payment_method}/attach',
    ({ world, id, params }) => {
      if (params.customer === undefined)
        throw invalidRequest('Missing required param: customer.', 'customer', 'parameter_missing');
      const customer = world.tables.customers.named(params.customer, 'customer');
      const named = id('payment_method');
      const card =
        readyCardNumber(named) === undefined
          ? world.tables.payment_methods.inPath(named, 'payment_method')
          : cardGiven(world, named, customer.id, 'payment_method');
      if (card.customer !== null && card.customer !== customer.id)
        throw invalidRequest('The payment method you provided has already been attached to a customer.');
      const refusal = refusalOfSetup(world.facts.cardNumbers.get(card.id) ?? '');
      if (refusal !== null)
        throw cardError({ code: refusal.code, decline_code: refusal.declineCode, message: refusal.message });
      attachCard(world, card, customer);
      return card;
    },
  ),
  route('POST /v1/payment_methods/{payment_method}/detach', ({ world, id }) => {
    const card = world.tables.payment_methods.inPath(id('payment_method'), 'payment_method');
    const owner = card.customer;
    card.customer = null;
    world.emit('payment_method.detached', card, world.scopeOf(typeof owner === 'string' ? owner : null));
    return card;
  }),
];
