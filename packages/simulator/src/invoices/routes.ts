import type Stripe from 'stripe';
import { refuseOtherCurrency } from '../customers/customer.ts';
import { cardError, invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { keptParams } from '../http/supported.ts';
import { currencyGiven, mergedMetadata } from '../http/values.ts';
import { refusedBy } from '../payments/attempt.ts';
import { cardGiven } from '../payments/methods.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { closeInvoice, DRAFT_SECONDS, finalizeInvoice } from './collect.ts';
import { collectAndFollowUp } from './dunning.ts';
import { makeInvoice } from './invoice.ts';
import { makeInvoiceItem } from './items.ts';
import { previewInvoice } from './preview.ts';

/** A draft that is for no subscription, with the customer's waiting items on it where they are asked for. */
function createInvoice(
  world: World,
  customer: Stripe.Customer,
  params: Stripe.InvoiceCreateParams,
): Stripe.Invoice {
  const now = world.nowFor(customer.id);
  const wanted = params.pending_invoice_items_behavior === 'include';
  const items = world.tables.invoice_items.filter(
    (row) => wanted && row.customer === customer.id && row.invoice === null,
  );
  const draft = makeInvoice(now, {
    merchant: world.options.merchant,
    subscription: {
      id: '',
      currency: items[0]?.currency ?? currencyGiven(params.currency ?? 'usd'),
      metadata: {},
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    },
    customer,
    reason: 'manual',
    period: { start: now, end: now },
    lines: [],
    items,
    finalizesAt: params.auto_advance === true ? now + DRAFT_SECONDS : null,
    discount: null,
  });
  const invoice = world.tables.invoices.insert({
    ...draft,
    description: params.description || null,
    metadata: mergedMetadata(null, params.metadata),
    parent: null,
    ...keptParams('POST /v1/invoices', params),
  });
  for (const item of items) item.invoice = invoice.id;
  world.emit('invoice.created', invoice, world.scopeOf(customer.id));
  return invoice;
}

function customerNamed(world: World, customer: string | undefined): Stripe.Customer {
  if (customer === undefined)
    throw invalidRequest('Missing required param: customer.', 'customer', 'parameter_missing');
  return world.tables.customers.named(customer, 'customer');
}

/** Items, and the invoices that are made of them by hand: those of a subscription make themselves. */
export const invoiceItemRoutes = [
  route<Stripe.InvoiceItemListParams>('GET /v1/invoiceitems', ({ world, params, path }) => {
    const { customer, invoice, pending } = params;
    const rows = world.tables.invoice_items
      .newestFirst()
      .filter((row) => customer === undefined || row.customer === customer)
      .filter((row) => invoice === undefined || row.invoice === invoice)
      .filter((row) => pending === undefined || pending === (row.invoice === null));
    return page(rows, params, path);
  }),
  route<Stripe.InvoiceItemCreateParams>('POST /v1/invoiceitems', ({ world, params }) => {
    const customer = customerNamed(world, params.customer);
    if (params.amount === undefined || params.currency === undefined)
      throw invalidRequest('The simulator has invoice items with `amount` and `currency` only.', 'amount');
    const currency = currencyGiven(params.currency);
    refuseOtherCurrency(world, customer.id, currency);
    const item = makeInvoiceItem(world.nowFor(customer.id), {
      customer,
      amount: params.amount,
      currency,
      description: params.description || null,
      metadata: mergedMetadata(null, params.metadata),
    });
    world.tables.invoice_items.insert(item);
    world.emit('invoiceitem.created', item, world.scopeOf(customer.id));
    return item;
  }),
  route('GET /v1/invoiceitems/{invoiceitem}', ({ world, id }) =>
    world.tables.invoice_items.inPath(id('invoiceitem')),
  ),
  route<Stripe.InvoiceCreateParams>('POST /v1/invoices', ({ world, params }) => {
    if (params.subscription !== undefined)
      throw invalidRequest('The simulator makes a subscription’s invoices by itself.', 'subscription');
    return createInvoice(world, customerNamed(world, params.customer), params);
  }),
];

/** What the caller hears of a bill whose bank asks the customer first. */
const ASKS =
  'This payment requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with the invoice.';

function payInvoice(
  world: World,
  invoice: Stripe.Invoice,
  { payment_method: method, off_session: away = true }: Stripe.InvoicePayParams,
): Stripe.Invoice {
  if (invoice.status === 'paid')
    throw invalidRequest('Invoice is already paid', undefined, 'invoice_already_paid');
  if (invoice.status === 'void' || invoice.status === 'uncollectible')
    throw invalidRequest(`This invoice can no longer be paid: it is ${invoice.status}.`);
  if (invoice.status === 'draft') finalizeInvoice(world, invoice);
  const customer = idOf(invoice.customer);
  const card = method === undefined ? undefined : cardGiven(world, method, customer, 'payment_method');
  const presence = away ? 'away' : 'there';
  const collected = collectAndFollowUp(world, invoice, { presence, ...(card && { card }) });
  if (collected.outcome === 'no_card')
    throw invalidRequest(
      'There is no `default_payment_method` set on this Customer or Invoice. Please set one or pass a payment_method.',
      undefined,
      'missing',
    );
  if (collected.outcome === 'refused') throw refusedBy(collected.refusal, { charge: collected.charge.id });
  if (collected.outcome === 'asks')
    throw cardError({ code: 'invoice_payment_intent_requires_action', message: ASKS });
  return invoice;
}

export const invoiceRoutes = [
  route<Stripe.InvoiceListParams>('GET /v1/invoices', ({ world, params, path }) => {
    const { collection_method: method, customer, status, subscription } = params;
    const rows = world.tables.invoices
      .newestFirst()
      .filter((row) => customer === undefined || idOf(row.customer) === customer)
      .filter((row) => status === undefined || row.status === status)
      .filter((row) => method === undefined || row.collection_method === method)
      .filter(
        (row) =>
          subscription === undefined || idOf(row.parent?.subscription_details?.subscription) === subscription,
      );
    return page(rows, params, path);
  }),
  route<Stripe.InvoiceCreatePreviewParams>('POST /v1/invoices/create_preview', ({ world, params }) =>
    previewInvoice(world, params),
  ),
  route('GET /v1/invoices/{invoice}', ({ world, id }) => world.tables.invoices.inPath(id('invoice'))),
  route<Stripe.InvoiceListLineItemsParams>(
    'GET /v1/invoices/{invoice}/lines',
    ({ world, id, params, path }) =>
      page(world.tables.invoices.inPath(id('invoice')).lines.data, params, path),
  ),
  route<Stripe.InvoiceFinalizeInvoiceParams>(
    'POST /v1/invoices/{invoice}/finalize',
    ({ world, id, params }) => {
      const invoice = world.tables.invoices.inPath(id('invoice'));
      finalizeInvoice(world, invoice, params.auto_advance !== false);
      return invoice;
    },
  ),
  route<Stripe.InvoicePayParams>('POST /v1/invoices/{invoice}/pay', ({ world, id, params }) =>
    payInvoice(world, world.tables.invoices.inPath(id('invoice')), params),
  ),
  route('POST /v1/invoices/{invoice}/void', ({ world, id }) =>
    closeInvoice(world, world.tables.invoices.inPath(id('invoice')), 'void'),
  ),
  route('POST /v1/invoices/{invoice}/mark_uncollectible', ({ world, id }) =>
    closeInvoice(world, world.tables.invoices.inPath(id('invoice')), 'uncollectible'),
  ),
  route<Stripe.InvoicePaymentListParams>('GET /v1/invoice_payments', ({ world, params, path }) => {
    const rows = world.tables.invoice_payments
      .newestFirst()
      .filter((row) => params.invoice === undefined || row.invoice === params.invoice)
      .filter((row) => {
        const intent = params.payment?.payment_intent;
        return intent === undefined || row.payment.payment_intent === intent;
      })
      .filter((row) => params.status === undefined || row.status === params.status);
    return page(rows, params, path);
  }),
];
