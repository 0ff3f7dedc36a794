import { makeLineItem } from '../objects/checkout-session.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { page } from './pagination.ts';

interface Body {
  [key: string]: unknown;
}
const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Finds any object by its id alone: the prefix names its table. */
function findById(world: World, id: string): object | undefined {
  const { tables } = world;
  const byPrefix: Record<string, { get(id: string): object | undefined }> = {
    prod: tables.products,
    price: tables.prices,
    cus: tables.customers,
    pm: tables.payment_methods,
    cs: tables.checkout_sessions,
    pi: tables.payment_intents,
    ch: tables.charges,
    re: tables.refunds,
    di: tables.discounts,
    promo: tables.promotion_codes,
    du: tables.disputes,
    sub: tables.subscriptions,
    in: tables.invoices,
    bpc: tables.portal_configurations,
    clock: tables.test_clocks,
  };
  return byPrefix[id.split('_')[0] ?? '']?.get(id) ?? tables.coupons.get(id);
}

/** The lines of a session, which it shows only when asked. */
export function lineItemsOf(world: World, session: string) {
  const order = world.facts.sessionOrders.get(session);
  return (order?.lines ?? []).map((line) => {
    const price = world.tables.prices.known(line.price);
    const product = world.tables.products.known(idOf(price.product));
    return makeLineItem(line.id, price, product.name, line.quantity);
  });
}

/** Lists that an object shows only when asked for by name. */
function included(world: World, body: Body, field: string): unknown {
  const id = String(body.id);
  switch (`${String(body.object)}.${field}`) {
    case 'checkout.session.line_items':
      return page(lineItemsOf(world, id), {}, `/v1/checkout/sessions/${id}/line_items`);
    case 'charge.refunds':
      return page(
        world.tables.refunds.filter((row) => row.charge === id).reverse(),
        {},
        `/v1/charges/${id}/refunds`,
      );
    case 'invoice.payments':
      return page(
        world.tables.invoice_payments.filter((row) => row.invoice === id),
        {},
        '/v1/invoice_payments',
      );
    case 'customer.subscriptions':
      return page(
        world.tables.subscriptions.filter((row) => row.customer === id && row.ended_at === null).reverse(),
        {},
        `/v1/customers/${id}/subscriptions`,
      );
    default:
      return undefined;
  }
}

/** The object behind an id; the id itself where it is of none that the simulator has. */
function behind(world: World, id: string): unknown {
  if (world.facts.deletedCustomers.has(id)) return { id, object: 'customer', deleted: true };
  return structuredClone(findById(world, id)) ?? id;
}

function expandOne(world: World, body: unknown, [field, ...rest]: readonly string[]): unknown {
  if (field === undefined) return body;
  if (Array.isArray(body)) return body.map((item) => expandOne(world, item, [field, ...rest]));
  if (!isBody(body)) return body;
  const held = body[field] === undefined ? included(world, body, field) : body[field];
  if (held === undefined || held === null) return body;
  const found = Array.isArray(held)
    ? held.map((item: unknown) => (typeof item === 'string' ? behind(world, item) : item))
    : typeof held === 'string'
      ? behind(world, held)
      : held;
  return { ...body, [field]: expandOne(world, found, rest) };
}

/** The answer with the named ids replaced by the objects behind them. The paths have passed `checkExpand`. */
export function expand(world: World, body: unknown, paths: readonly string[]): unknown {
  return paths.reduce((expanded, path) => expandOne(world, expanded, path.split('.')), body);
}
