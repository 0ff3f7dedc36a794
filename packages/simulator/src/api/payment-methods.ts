import type Stripe from 'stripe';
import { cardDigits, isCardNumber, refusalOfSetup } from '../engine/cards.ts';
import { attachCard, createCard } from '../engine/payments.ts';
import { checkEmail } from '../http/check-values.ts';
import { cardError, invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { makeSepaDebit } from '../objects/sepa-debit.ts';
import { cardGiven, readyCardNumber } from './card-given.ts';

export const paymentMethodRoutes = [
  route<Stripe.PaymentMethodListParams>('GET /v1/payment_methods', ({ world, params, path }) => {
    const rows = world.tables.payment_methods
      .newestFirst()
      .filter(
        (row) => row.customer !== null && (params.customer === undefined || row.customer === params.customer),
      )
      .filter((row) => params.type === undefined || row.type === params.type);
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
      debit.metadata = metadata;
      return debit;
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
    card.metadata = metadata;
    return card;
  }),
  route('GET /v1/payment_methods/{payment_method}', ({ world, id }) => {
    return world.tables.payment_methods.inPath(id('payment_method'), 'payment_method');
  }),
  route<Stripe.PaymentMethodUpdateParams>(
    'POST /v1/payment_methods/{payment_method}',
    ({ world, id, params }) => {
      const method = world.tables.payment_methods.inPath(id('payment_method'), 'payment_method');
      method.metadata = mergedMetadata(method.metadata, params.metadata);
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
