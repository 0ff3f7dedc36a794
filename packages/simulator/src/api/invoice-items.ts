import type Stripe from 'stripe';
import { refuseOtherCurrency } from '../engine/customer-currency.ts';
import { createInvoice } from '../engine/manual-invoice.ts';
import { currencyGiven } from '../http/check-values.ts';
import { invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { makeInvoiceItem } from '../objects/invoice-item.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import type { World } from '../state/world.ts';

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
