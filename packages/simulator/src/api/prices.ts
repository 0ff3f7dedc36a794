import type Stripe from 'stripe';
import { currencyGiven } from '../http/check-values.ts';
import { invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { makePrice } from '../objects/price.ts';
import { makeProduct } from '../objects/product.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/** A lookup key names one active price; `transfer` takes it from the price that has it. */
function claimLookupKey(world: World, key: string, transfer: boolean, except?: string): void {
  const holder = world.tables.prices.find((row) => row.lookup_key === key && row.id !== except);
  if (holder === undefined) return;
  if (!transfer)
    throw invalidRequest(
      `A price (\`${holder.id}\`) already uses that lookup key.`,
      'lookup_key',
      'resource_already_exists',
    );
  world.change('price.updated', holder, null, (row) => {
    row.lookup_key = null;
  });
}

function productFor(world: World, params: Stripe.PriceCreateParams): string {
  if (params.product !== undefined) return world.tables.products.named(params.product, 'product').id;
  if (params.product_data === undefined) throw new Error('The price has no product');
  const product = makeProduct(world.clock.now(), {
    ...(params.product_data.id === undefined ? {} : { id: params.product_data.id }),
    name: params.product_data.name,
    metadata: mergedMetadata(null, params.product_data.metadata),
  });
  world.tables.products.insert(product);
  world.emit('product.created', product, null);
  return product.id;
}

export const priceRoutes = [
  route<Stripe.PriceListParams>('GET /v1/prices', ({ world, params, path }) => {
    const { lookup_keys: keys, active, product, type, currency, recurring } = params;
    if (keys !== undefined && keys.length > 10)
      throw invalidRequest('You may only specify up to 10 lookup_keys.', 'lookup_keys');
    const rows = world.tables.prices
      .newestFirst()
      .filter((row) => keys === undefined || (row.lookup_key !== null && keys.includes(row.lookup_key)))
      .filter((row) => active === undefined || row.active === active)
      .filter((row) => product === undefined || idOf(row.product) === product)
      .filter((row) => type === undefined || row.type === type)
      .filter((row) => currency === undefined || row.currency === currency)
      .filter((row) => recurring?.interval === undefined || row.recurring?.interval === recurring.interval);
    return page(rows, params, path);
  }),
  route<Stripe.PriceCreateParams>('POST /v1/prices', ({ world, params }) => {
    if (params.unit_amount === undefined && params.unit_amount_decimal === undefined)
      throw invalidRequest('Missing required param: unit_amount.', 'unit_amount', 'parameter_missing');
    if ((params.billing_scheme ?? 'per_unit') !== 'per_unit')
      throw invalidRequest('The simulator has per-unit prices only.', 'billing_scheme');
    const amount = params.unit_amount ?? Number(params.unit_amount_decimal);
    if (amount < 0)
      throw invalidRequest('Invalid non-negative integer', 'unit_amount', 'parameter_invalid_integer');
    const currency = currencyGiven(params.currency);
    const metadata = mergedMetadata(null, params.metadata);
    if (params.product === undefined && params.product_data === undefined)
      throw invalidRequest('You must specify either `product` or `product_data` when creating a price.');
    if (params.product !== undefined) world.tables.products.named(params.product, 'product');
    if (params.lookup_key !== undefined && params.lookup_key !== '')
      claimLookupKey(world, params.lookup_key, params.transfer_lookup_key ?? false);
    const price = makePrice(world.clock.now(), {
      product: productFor(world, params),
      currency,
      unit_amount: amount,
      interval: params.recurring?.interval ?? null,
      intervalCount: params.recurring?.interval_count ?? 1,
      lookup_key: params.lookup_key || null,
      metadata,
      nickname: params.nickname || null,
      active: params.active ?? true,
      tax_behavior: params.tax_behavior ?? 'unspecified',
    });
    world.tables.prices.insert(price);
    world.emit('price.created', price, null);
    return price;
  }),
  route('GET /v1/prices/{price}', ({ world, id }) => world.tables.prices.inPath(id('price'))),
  route<Stripe.PriceUpdateParams>('POST /v1/prices/{price}', ({ world, id, params }) => {
    const price = world.tables.prices.inPath(id('price'));
    const key = params.lookup_key;
    if (key !== undefined && key !== '')
      claimLookupKey(world, key, params.transfer_lookup_key ?? false, price.id);
    world.change('price.updated', price, null, (row) => {
      row.active = params.active ?? row.active;
      if (params.nickname !== undefined) row.nickname = params.nickname || null;
      row.tax_behavior = params.tax_behavior ?? row.tax_behavior;
      row.metadata = mergedMetadata(row.metadata, params.metadata);
      if (key !== undefined) row.lookup_key = key || null;
    });
    return price;
  }),
];
