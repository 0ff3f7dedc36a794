import { readFileSync } from 'node:fs';
import type Stripe from 'stripe';
import { makeLineItem } from '../checkout/session.ts';
import { amountIn, currencyOptionsOf } from '../prices/currencies.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { invalidRequest } from './errors.ts';
import type { Operation } from './operations.ts';
import { page } from './pagination.ts';

/** What a path meets at a field: an id, a list on a page of its own, or a map that only leads further in. */
export interface ExpandableField {
  kind: 'id' | 'list' | 'inside';
  /** The schema behind it; null where there is none that could be expanded further. */
  to: string | null;
}

interface Expandable {
  answers: Record<string, { list: boolean; to: string | null }>;
  fields: Record<string, Record<string, ExpandableField>>;
}

const generated: Expandable = JSON.parse(
  readFileSync(new URL('../generated/expandable.json', import.meta.url), 'utf8'),
);

/** Lists that an object shows only when asked, or always. What Stripe lists beyond these, the simulator does not have. */
const LISTS_HERE = new Set([
  'charge.refunds',
  'checkout.session.line_items',
  'customer.subscriptions',
  'invoice.lines',
  'invoice.payments',
  'subscription.items',
]);
/** What Stripe shows only when asked and the simulator does not have. */
const NOT_HERE = new Set([
  'customer.cash_balance',
  'payment_pages_checkout_session_total_details.breakdown',
  'price.tiers',
]);
/** Maps that an object shows only when asked; nothing behind them can be expanded. */
const MAPS_HERE = new Set([
  'customer.invoice_credit_balance',
  'customer.tax',
  'invoice.confirmation_secret',
  'price.currency_options',
]);

const MAX_LEVELS = 4;

function notExpandable(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, 'expand');
}

function notHere(path: string) {
  return invalidRequest(
    `The simulator cannot expand \`${path}\`, which Stripe can. Leave it out here, or try it with a test key of your own.`,
    'expand',
  );
}

/** Follows one path from a schema; throws where it leads nowhere. */
function follow(from: string | null, segments: readonly string[], whole: string): void {
  const [name = '', ...rest] = segments;
  const full = `${from}.${name}`;
  if (NOT_HERE.has(full)) throw notHere(whole);
  if (MAPS_HERE.has(full)) {
    if (rest.length > 0) throw notExpandable(whole);
    return;
  }
  const fields = from === null ? undefined : generated.fields[from];
  const field = fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) throw notExpandable(whole);
  const isLast = rest.length === 0;
  switch (field.kind) {
    case 'inside':
      if (isLast) throw notExpandable(whole);
      follow(field.to, rest, whole);
      return;
    case 'list': {
      if (!LISTS_HERE.has(full)) throw notHere(whole);
      if (isLast) return;
      if (rest[0] !== 'data' || rest.length === 1) throw notExpandable(whole);
      follow(field.to, rest.slice(1), whole);
      return;
    }
    case 'id':
      if (!isLast) follow(field.to, rest, whole);
      return;
    default:
      field.kind satisfies never;
  }
}

/**
 * Refuses what cannot be expanded of an operation's answer, before anything is done: whether a path leads somewhere
 * hangs on the kinds of objects alone (`x-expandableFields` of Stripe's document).
 *
 * @throws StripeApiError 400 naming the path
 */
export function checkExpand(operation: Operation, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const answer = generated.answers[operation];
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > MAX_LEVELS)
      throw invalidRequest(`You cannot expand more than 4 levels of a property. Property: ${path}`, 'expand');
    if (answer === undefined) throw notExpandable(path);
    if (answer.list && (segments[0] !== 'data' || segments.length === 1)) throw notExpandable(path);
    follow(answer.to, answer.list ? segments.slice(1) : segments, path);
  }
}

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
    txn: tables.balance_transactions,
    di: tables.discounts,
    promo: tables.promotion_codes,
    du: tables.disputes,
    sub: tables.subscriptions,
    in: tables.invoices,
    bpc: tables.portal_configurations,
    clock: tables.test_clocks,
  };
  if (id.startsWith('sub_sched_')) return tables.subscription_schedules.get(id);
  return byPrefix[id.split('_')[0] ?? '']?.get(id) ?? tables.coupons.get(id);
}

/** The lines of a session, which it shows only when asked. */
export function lineItemsOf(world: World, session: string) {
  const order = world.facts.sessionOrders.get(session);
  const currency = world.tables.checkout_sessions.get(session)?.currency ?? 'usd';
  return (order?.lines ?? []).map((line) => {
    const price = world.tables.prices.known(line.price);
    const product = world.tables.products.known(idOf(price.product));
    return makeLineItem(
      line.id,
      { price, unit: amountIn(world, price, currency), currency },
      product.name,
      line.quantity,
    );
  });
}

/** Whether tax could be computed: the simulator looks no further than whether there is an address. */
function taxOf({ address }: Stripe.Customer): Stripe.Customer.Tax {
  const country = address?.country ?? null;
  return {
    automatic_tax: country === null ? 'unrecognized_location' : 'not_collecting',
    ip_address: null,
    location: country === null ? null : { country, source: 'billing_address', state: address?.state ?? null },
    provider: 'stripe',
  };
}

/** The secret that a page confirms an open invoice's payment with. */
function confirmationSecretOf(world: World, invoice: string): Stripe.Invoice.ConfirmationSecret | null {
  const payment = world.tables.invoice_payments.find((row) => row.invoice === invoice);
  const intent = world.tables.payment_intents.get(idOf(payment?.payment.payment_intent));
  const secret = intent?.client_secret ?? null;
  return secret === null ? null : { client_secret: secret, type: 'payment_intent' };
}

/** Fields that an object shows only when asked for by name. */
function included(world: World, body: Body, field: string): unknown {
  const id = String(body.id);
  switch (`${String(body.object)}.${field}`) {
    case 'checkout.session.line_items':
      return page(lineItemsOf(world, id), {}, `/v1/checkout/sessions/${id}/line_items`);
    case 'price.currency_options':
      return currencyOptionsOf(world, body as unknown as Stripe.Price);
    case 'customer.tax':
      return taxOf(body as unknown as Stripe.Customer);
    case 'customer.invoice_credit_balance':
      return typeof body.currency === 'string' ? { [body.currency]: body.balance } : {};
    case 'invoice.confirmation_secret':
      return confirmationSecretOf(world, id);
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
  if (held === undefined) return body;
  if (held === null) return { ...body, [field]: null };
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
