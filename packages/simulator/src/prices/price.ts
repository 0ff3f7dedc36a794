import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { idOf, newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/**
 * The price that a request names, if it can be sold now: neither it nor its product is archived.
 *
 * @throws StripeApiError 400 naming the parameter
 */
export function priceForSale(world: World, id: string, param: string): Stripe.Price {
  const price = world.tables.prices.named(id, param);
  if (!price.active)
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', param);
  const product = world.tables.products.get(idOf(price.product));
  if (product?.active === false)
    throw invalidRequest(
      `Price \`${price.id}\` is not available to be purchased because its product is not active.`,
      param,
    );
  return price;
}

/** A decimal as it travels: the SDK's type is the class that its client makes of this string. */
export function wireDecimal(amount: number | null): Stripe.Price['unit_amount_decimal'] {
  return (amount === null ? null : String(amount)) as unknown as Stripe.Price['unit_amount_decimal'];
}

export function makeProduct(now: number, given: Partial<Stripe.Product> & { name: string }): Stripe.Product {
  return {
    id: newId('prod', 14),
    object: 'product',
    active: true,
    created: now,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: now,
    url: null,
    ...given,
  };
}

interface PriceGiven {
  id?: string;
  product: string;
  currency: string;
  unit_amount: number;
  interval: Stripe.Price.Recurring.Interval | null;
  intervalCount?: number;
  lookup_key?: string | null;
  metadata?: Record<string, string>;
  nickname?: string | null;
  active?: boolean;
  tax_behavior?: Stripe.Price.TaxBehavior;
}

/** A per-unit price; recurring when it has an interval, else paid once. Amounts in minor units. */
export function makePrice(now: number, given: PriceGiven): Stripe.Price {
  return {
    id: given.id ?? newId('price'),
    object: 'price',
    active: given.active ?? true,
    billing_scheme: 'per_unit',
    created: now,
    currency: given.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: given.lookup_key ?? null,
    metadata: given.metadata ?? {},
    nickname: given.nickname ?? null,
    product: given.product,
    recurring:
      given.interval === null
        ? null
        : {
            interval: given.interval,
            interval_count: given.intervalCount ?? 1,
            meter: null,
            trial_period_days: null,
            usage_type: 'licensed',
          },
    tax_behavior: given.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: given.interval === null ? 'one_time' : 'recurring',
    unit_amount: given.unit_amount,
    unit_amount_decimal: wireDecimal(given.unit_amount),
  };
}

/** The older view of a recurring price that subscription items still carry. */
export function planOf(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: typeof price.product === 'string' ? price.product : price.product.id,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}
