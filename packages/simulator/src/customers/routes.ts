import type Stripe from 'stripe';
import { invalidRequest, missingResource } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { addressOf, keptParams } from '../http/supported.ts';
import { checkEmail, currencyGiven, mergedMetadata } from '../http/values.ts';
import { attachCard } from '../payments/attempt.ts';
import { cardGiven } from '../payments/methods.ts';
import type { World } from '../state/world.ts';
import { endSubscription } from '../subscriptions/subscription.ts';
import { makeCustomer, moveBalance } from './customer.ts';

/** A customer that has been deleted is answered as such, by id, for ever. */
const deleted = (id: string) => ({ id, object: 'customer', deleted: true as const });

/** What stands on a customer's invoices from now on. */
function keepInvoiceSettings(
  customer: Stripe.Customer,
  given: Stripe.CustomerUpdateParams.InvoiceSettings | undefined,
): void {
  const settings = customer.invoice_settings;
  if (given?.footer !== undefined) settings.footer = given.footer || null;
  if (given?.custom_fields !== undefined) settings.custom_fields = given.custom_fields || null;
}

/** Sets what a customer has in hand (negative) or owes, as a movement of their balance. */
function setBalance(world: World, customer: Stripe.Customer, balance: number | undefined): void {
  const moved = (balance ?? customer.balance) - customer.balance;
  if (moved !== 0)
    moveBalance(world, customer, moved, { type: 'adjustment', currency: customer.currency ?? 'usd' });
}

/** The card behind `source`, the older way to give a customer one; the simulator keeps it as the default payment method. */
function sourceGiven(world: World, source: string | undefined): Stripe.PaymentMethod | null {
  if (source === undefined) return null;
  if (!source.startsWith('tok_'))
    throw invalidRequest('The simulator takes one of Stripe’s test tokens, such as `tok_visa`.', 'source');
  return cardGiven(world, source, null, 'source');
}

function createCustomer(world: World, params: Stripe.CustomerCreateParams): Stripe.Customer {
  checkEmail(params.email, 'email');
  const clock =
    params.test_clock === undefined ? null : world.tables.test_clocks.named(params.test_clock, 'test_clock');
  const customer = makeCustomer(world.clock.now(clock?.id ?? null), {
    email: params.email || null,
    name: params.name || null,
    description: params.description || null,
    phone: params.phone || null,
    address: addressOf(params.address),
    metadata: mergedMetadata(null, params.metadata),
    test_clock: clock?.id ?? null,
    ...keptParams('POST /v1/customers', params),
  });
  keepInvoiceSettings(customer, params.invoice_settings);
  const source = sourceGiven(world, params.source);
  const named = params.invoice_settings?.default_payment_method ?? params.payment_method ?? source?.id;
  const card = named === undefined ? null : cardGiven(world, named, customer.id, 'payment_method');
  world.tables.customers.insert(customer);
  if (card !== null && (params.invoice_settings?.default_payment_method !== undefined || source !== null))
    customer.invoice_settings.default_payment_method = card.id;
  world.emit('customer.created', customer, clock?.id ?? null);
  setBalance(world, customer, params.balance);
  if (card !== null) attachCard(world, card, customer);
  return customer;
}

export const customerRoutes = [
  route<Stripe.CustomerListParams>('GET /v1/customers', ({ world, params, path }) => {
    const { email, test_clock: clock } = params;
    const rows = world.tables.customers
      .newestFirst()
      .filter((row) => email === undefined || row.email === email)
      .filter((row) => (clock === undefined ? row.test_clock === null : row.test_clock === clock));
    return page(rows, params, path);
  }),
  route<Stripe.CustomerCreateParams>('POST /v1/customers', ({ world, params }) =>
    createCustomer(world, params),
  ),
  route('GET /v1/customers/{customer}', ({ world, id }) => {
    const asked = id('customer');
    return world.facts.deletedCustomers.has(asked)
      ? deleted(asked)
      : world.tables.customers.inPath(asked, 'id');
  }),
  route<Stripe.CustomerUpdateParams>('POST /v1/customers/{customer}', ({ world, id, params }) => {
    const customer = world.tables.customers.inPath(id('customer'), 'id');
    checkEmail(params.email, 'email');
    const method = params.invoice_settings?.default_payment_method;
    const card =
      method === undefined || method === ''
        ? null
        : world.tables.payment_methods.named(method, 'invoice_settings[default_payment_method]');
    if (card !== null && card.customer !== customer.id)
      throw invalidRequest(
        `The customer does not have a payment method with the ID ${card.id}. The payment method must be attached to the customer.`,
        'invoice_settings[default_payment_method]',
        'resource_missing',
      );
    world.change('customer.updated', customer, world.scopeOf(customer.id), (row) => {
      if (params.email !== undefined) row.email = params.email || null;
      if (params.name !== undefined) row.name = params.name || null;
      if (params.description !== undefined) row.description = params.description || null;
      if (params.phone !== undefined) row.phone = params.phone || null;
      if (params.address !== undefined) row.address = addressOf(params.address);
      if (method !== undefined) row.invoice_settings.default_payment_method = card?.id ?? null;
      Object.assign(row, keptParams('POST /v1/customers/{customer}', params));
      keepInvoiceSettings(row, params.invoice_settings);
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    setBalance(world, customer, params.balance);
    return customer;
  }),
  route('DELETE /v1/customers/{customer}', ({ world, id }) => {
    const customer = world.tables.customers.inPath(id('customer'), 'id');
    const live = world.tables.subscriptions.filter(
      (row) => row.customer === customer.id && row.ended_at === null,
    );
    for (const subscription of live) endSubscription(world, subscription, 'cancellation_requested');
    world.emit('customer.deleted', customer, world.scopeOf(customer.id));
    world.tables.customers.delete(customer.id);
    world.facts.deletedCustomers.add(customer.id);
    return deleted(customer.id);
  }),
  route<Stripe.CustomerListPaymentMethodsParams>(
    'GET /v1/customers/{customer}/payment_methods',
    ({ world, id, params, path }) => {
      const customer = world.tables.customers.inPath(id('customer'));
      return page(
        world.tables.payment_methods
          .newestFirst()
          .filter((row) => row.customer === customer.id)
          .filter((row) => params.type === undefined || row.type === params.type)
          .filter(
            ({ allow_redisplay: may }) =>
              params.allow_redisplay === undefined || may === params.allow_redisplay,
          ),
        params,
        path,
      );
    },
  ),
];

/** A customer's credit balance: what downgrades leave in hand, and what is given by hand. */
export const balanceTransactionRoutes = [
  route<Stripe.CustomerListBalanceTransactionsParams>(
    'GET /v1/customers/{customer}/balance_transactions',
    ({ world, id, params, path }) => {
      const customer = world.tables.customers.inPath(id('customer'));
      const rows = world.tables.customer_balance_transactions
        .newestFirst()
        .filter((row) => row.customer === customer.id)
        .filter((row) => params.invoice === undefined || row.invoice === params.invoice);
      return page(rows, params, path);
    },
  ),
  route<Stripe.CustomerCreateBalanceTransactionParams>(
    'POST /v1/customers/{customer}/balance_transactions',
    ({ world, id, params }) =>
      moveBalance(world, world.tables.customers.inPath(id('customer')), params.amount, {
        type: 'adjustment',
        currency: currencyGiven(params.currency),
        description: params.description || null,
        metadata: mergedMetadata(null, params.metadata),
      }),
  ),
  route('GET /v1/customers/{customer}/balance_transactions/{transaction}', ({ world, id }) => {
    const found = world.tables.customer_balance_transactions.inPath(id('transaction'));
    if (found.customer !== id('customer')) throw missingResource('transaction', found.id, 'transaction', 404);
    return found;
  }),
];
