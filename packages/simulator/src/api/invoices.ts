import type Stripe from 'stripe';
import { collectAndFollowUp } from '../engine/dunning.ts';
import { closeInvoice } from '../engine/invoice-close.ts';
import { previewInvoice } from '../engine/invoice-preview.ts';
import { finalizeInvoice } from '../engine/invoices.ts';
import { refusedBy } from '../engine/payments.ts';
import { cardError, invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { cardGiven } from './card-given.ts';

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
  route('POST /v1/invoices/{invoice}/finalize', ({ world, id }) => {
    const invoice = world.tables.invoices.inPath(id('invoice'));
    finalizeInvoice(world, invoice);
    return invoice;
  }),
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
