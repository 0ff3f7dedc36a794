import type Stripe from 'stripe';
import { billedCurrency, refuseOtherCurrency } from '../customers/customer.ts';
import { invalidRequest } from '../http/errors.ts';
import {
  checkAddress,
  checkAmount,
  checkEmail,
  checkLeast,
  currencyGiven,
  mergedMetadata,
} from '../http/values.ts';
import { amountIn, refuseUnsupportedCurrency, supports } from '../prices/currencies.ts';
import { discountGiven } from '../prices/discounts.ts';
import { makePrice, makeProduct, priceForSale } from '../prices/price.ts';
import { newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { discountSession, makeCheckoutSession } from './session.ts';

type Params = Stripe.Checkout.SessionCreateParams;

const MODES = ['payment', 'subscription'] as const;
const DAY = 86_400;
const HALF_HOUR = 1800;

function expiry(params: Params, now: number): number {
  const at = params.expires_at;
  if (at === undefined) return now + DAY;
  if (at < now + HALF_HOUR)
    throw invalidRequest(
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
      'expires_at',
    );
  if (at > now + DAY)
    throw invalidRequest(
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
      'expires_at',
    );
  return at;
}

/** Refuses what belongs to the other mode, and what cannot stand together. */
function checkCombination(world: World, params: Params, mode: 'payment' | 'subscription'): void {
  const wrong = (name: string, other: string) =>
    invalidRequest(`You can not pass \`${name}\` in \`${other}\` mode.`, name);
  if (mode === 'payment' && params.subscription_data !== undefined) throw wrong('subscription_data', mode);
  if (mode === 'payment' && params.payment_method_collection !== undefined)
    throw wrong('payment_method_collection', mode);
  if (mode === 'subscription' && params.payment_intent_data !== undefined)
    throw wrong('payment_intent_data', mode);
  if (mode === 'subscription' && params.customer_creation !== undefined)
    throw invalidRequest(
      '`customer_creation` can only be used in `payment` and `setup` mode.',
      'customer_creation',
    );
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: customer, customer_email.',
      'customer',
    );
  if (params.customer !== undefined && params.customer_creation !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: customer, customer_creation.',
      'customer',
    );
  if (params.customer === undefined && params.customer_update !== undefined)
    throw invalidRequest('`customer_update` can only be used with `customer`.', 'customer_update');
  if (params.allow_promotion_codes !== undefined && params.discounts !== undefined)
    throw invalidRequest(
      'You may only specify one of these parameters: allow_promotion_codes, discounts.',
      'allow_promotion_codes',
    );
  const { customer: named } = params;
  if (named === undefined) return;
  const customer = world.tables.customers.named(named, 'customer');
  const saves = params.customer_update?.address === 'auto';
  if (params.automatic_tax?.enabled === true && !saves && customer.address?.country == null)
    throw invalidRequest(
      'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to `auto` or `customer_update[shipping]` to `auto` to save the address entered in Checkout to the Customer.',
      'automatic_tax',
      'customer_tax_location_invalid',
    );
}

/** A line's price. One that the request describes, and its product, are put on record only when all else is right. */
interface PricedLine {
  price: Stripe.Price;
  quantity: number;
  isNew: boolean;
  newProduct: Stripe.Product | null;
}

type ProductData = Stripe.Checkout.SessionCreateParams.LineItem.PriceData.ProductData;

function productDescribed(now: number, data: ProductData | undefined): Stripe.Product {
  return makeProduct(now, {
    name: data?.name ?? 'Product',
    description: data?.description || null,
    images: data?.images ?? [],
    metadata: mergedMetadata(null, data?.metadata),
    tax_code: data?.tax_code || null,
    unit_label: data?.unit_label || null,
  });
}

/** The price of a line: named by id, or described in the request. */
function priceOf(
  world: World,
  line: Stripe.Checkout.SessionCreateParams.LineItem,
  index: number,
): Omit<PricedLine, 'quantity'> {
  const param = `line_items[${index}][price]`;
  if (line.price !== undefined) {
    return { price: priceForSale(world, line.price, param), isNew: false, newProduct: null };
  }
  const data = line.price_data;
  if (data === undefined)
    throw invalidRequest('Missing required param: line_items[0][price].', param, 'parameter_missing');
  const currency = currencyGiven(data.currency, `line_items[${index}][price_data][currency]`);
  checkAmount(data.unit_amount ?? 0, currency, `line_items[${index}][price_data][unit_amount]`);
  const now = world.clock.now();
  const newProduct = data.product === undefined ? productDescribed(now, data.product_data) : null;
  const product =
    newProduct ??
    world.tables.products.named(data.product ?? '', `line_items[${index}][price_data][product]`);
  const price = makePrice(now, {
    product: product.id,
    currency,
    unit_amount: data.unit_amount ?? 0,
    interval: data.recurring?.interval ?? null,
    intervalCount: data.recurring?.interval_count ?? 1,
    tax_behavior: data.tax_behavior ?? 'unspecified',
    active: false,
  });
  return { price, isNew: true, newProduct };
}

function linesOf(world: World, items: readonly Stripe.Checkout.SessionCreateParams.LineItem[]): PricedLine[] {
  return items.map((line, index) => {
    const priced = priceOf(world, line, index);
    if (line.quantity === undefined)
      throw invalidRequest(
        `Quantity is required. Add \`quantity\` to \`line_items[${index}]\``,
        `line_items[${index}]`,
      );
    return { ...priced, quantity: line.quantity };
  });
}

function checkLines(lines: readonly PricedLine[], mode: 'payment' | 'subscription'): void {
  const recurring = lines.filter((line) => line.price.type === 'recurring');
  if (mode === 'payment' && recurring.length > 0)
    throw invalidRequest(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'line_items',
    );
  if (mode === 'subscription' && recurring.length === 0)
    throw invalidRequest(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'line_items',
    );
  if (mode === 'subscription' && lines.length > 1)
    throw invalidRequest('The simulator sells one recurring price per session.', 'line_items');
}

/**
 * The currency that a session is paid in: the one asked for; else that of the customer's subscription, where all prices
 * support it; else the prices' own. Stripe would also look where the buyer's address on the network is: here everybody
 * is at home (docs.stripe.com/payments/checkout/localize-prices/manual-currency-prices).
 */
function currencyOf(
  world: World,
  lines: readonly PricedLine[],
  asked: string | undefined,
  customer: string | null,
): string {
  if (asked !== undefined) {
    const currency = currencyGiven(asked);
    for (const [index, { price }] of lines.entries())
      refuseUnsupportedCurrency(world, price, currency, `line_items[${index}][price]`);
    return currency;
  }
  const known = customer === null ? null : billedCurrency(world, customer);
  if (known !== null && lines.every(({ price }) => supports(world, price, known))) return known;
  const currency = lines[0]?.price.currency ?? 'usd';
  if (lines.some(({ price }) => !supports(world, price, currency)))
    throw invalidRequest('All prices of a Checkout Session must be in the same currency.', 'line_items');
  return currency;
}

function checkTrial(params: Params, now: number): void {
  const data = params.subscription_data;
  if (data?.trial_period_days !== undefined && data.trial_period_days < 1)
    throw invalidRequest(
      'The minimum number of trial period days is 1.',
      'subscription_data[trial_period_days]',
    );
  if (data?.trial_end !== undefined && data.trial_end < now + 2 * DAY)
    throw invalidRequest(
      'The `trial_end` date has to be at least 2 days in the future.',
      'subscription_data[trial_end]',
    );
}

/** An open session and what it will make when it is paid. */
export function createSession(world: World, params: Params): Stripe.Checkout.Session {
  if (params.mode === undefined)
    throw invalidRequest('Missing required param: mode.', 'mode', 'parameter_missing');
  const mode = MODES.find((known) => known === params.mode);
  if (mode === undefined)
    throw invalidRequest('The simulator has the modes payment and subscription.', 'mode');
  if ((params.ui_mode ?? 'hosted_page') !== 'hosted_page')
    throw invalidRequest('The simulator has hosted checkout pages only.', 'ui_mode');
  if (params.success_url === undefined)
    throw invalidRequest('Missing required param: success_url.', 'success_url', 'parameter_missing');
  checkAddress(params.success_url, 'success_url');
  checkAddress(params.cancel_url, 'cancel_url');
  checkEmail(params.customer_email, 'customer_email');
  checkEmail(params.payment_intent_data?.receipt_email, 'payment_intent_data[receipt_email]');
  const items = params.line_items ?? [];
  if (items.length === 0)
    throw invalidRequest('Missing required param: line_items.', 'line_items', 'parameter_missing');
  checkCombination(world, params, mode);
  const customer =
    params.customer === undefined ? null : world.tables.customers.named(params.customer, 'customer');
  const now = world.nowFor(customer?.id ?? null);
  checkTrial(params, now);
  const expiresAt = expiry(params, now);
  const lines = linesOf(world, items);
  checkLines(lines, mode);
  const currency = currencyOf(world, lines, params.currency, customer?.id ?? null);
  if (mode === 'subscription' && customer !== null) refuseOtherCurrency(world, customer.id, currency);
  const total = lines.reduce(
    (sum, { price, quantity }) => sum + amountIn(world, price, currency) * quantity,
    0,
  );
  const hasTrial =
    params.subscription_data?.trial_period_days !== undefined ||
    params.subscription_data?.trial_end !== undefined;
  const session = makeCheckoutSession(now, {
    mode,
    currency,
    amountTotal: mode === 'subscription' && hasTrial ? 0 : total,
    params,
    expiresAt,
    customerEmail: customer?.email ?? params.customer_email ?? null,
    baseUrl: world.options.baseUrl,
  });
  session.metadata = mergedMetadata(null, params.metadata);
  mergedMetadata(null, params.subscription_data?.metadata);
  mergedMetadata(null, params.payment_intent_data?.metadata);
  const [discount] = params.discounts ?? [];
  if (discount !== undefined) discountSession(world, session, discountGiven(world, discount, 'discounts[0]'));
  const what = "The Checkout Session's total amount due must add up to at least";
  checkLeast(session.amount_total ?? 0, currency, undefined, what);
  for (const { price, isNew, newProduct } of lines) {
    if (newProduct !== null) world.tables.products.insert(newProduct);
    if (isNew) world.tables.prices.insert(price);
  }
  world.facts.sessionOrders.set(session.id, {
    lines: lines.map((line) => ({ id: newId('li'), price: line.price.id, quantity: line.quantity })),
    subscriptionData: params.subscription_data ?? {},
    paymentIntentData: params.payment_intent_data ?? {},
  });
  return world.tables.checkout_sessions.insert(session);
}
