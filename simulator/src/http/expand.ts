import { makeLineItem } from '../objects/checkout-session.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { invalidRequest } from './errors.ts';
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

function expandOne(world: World, body: unknown, path: string[], whole: string): unknown {
  const [field, ...rest] = path;
  if (field === undefined) return body;
  if (Array.isArray(body)) return body.map((item) => expandOne(world, item, path, whole));
  if (!isBody(body)) throw notExpandable(whole);
  const held = body[field] === undefined ? included(world, body, field) : body[field];
  if (held === undefined) throw notExpandable(whole);
  if (held === null) return body;
  const found = typeof held === 'string' ? findById(world, held) : held;
  if (found === undefined || typeof found !== 'object') throw notExpandable(whole);
  if (
    typeof held !== 'string' &&
    rest.length === 0 &&
    isBody(held) &&
    held.object !== 'list' &&
    held.id === undefined
  )
    throw notExpandable(whole);
  const copy: unknown = typeof held === 'string' ? structuredClone(found) : found;
  return { ...body, [field]: expandOne(world, copy, rest, whole) };
}

function notExpandable(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, 'expand');
}

/** The answer with the named ids replaced by the objects behind them (`expand[]`, at most four levels deep). */
export function expand(world: World, body: unknown, paths: readonly string[]): unknown {
  return paths.reduce((expanded, path) => {
    const segments = path.split('.');
    const [head] = segments;
    const isList = isBody(expanded) && expanded.object === 'list';
    if (isList && head !== 'data') throw notExpandable(path);
    if (segments.length > 4)
      throw invalidRequest(`You cannot expand more than 4 levels of a property. Property: ${path}`, 'expand');
    return expandOne(world, expanded, segments, path);
  }, body);
}
