import type Stripe from 'stripe';
import { emptyParameter, invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { keptParams } from '../http/supported.ts';
import { checkAddress, checkAmount, currencyGiven, mergedMetadata } from '../http/values.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { currencyOptionsGiven, keepCurrencyOptions } from './currencies.ts';
import { makePrice, makeProduct } from './price.ts';

export const productRoutes = [
  route<Stripe.ProductListParams>('GET /v1/products', ({ world, params, path }) => {
    const { active, ids } = params;
    const rows = world.tables.products
      .newestFirst()
      .filter((row) => active === undefined || row.active === active)
      .filter((row) => ids === undefined || ids.includes(row.id));
    return page(rows, params, path);
  }),
  route<Stripe.ProductCreateParams>('POST /v1/products', ({ world, params }) => {
    if (params.name === undefined)
      throw invalidRequest('Missing required param: name.', 'name', 'parameter_missing');
    if (params.id !== undefined && world.tables.products.get(params.id) !== undefined)
      throw invalidRequest('Product already exists.', 'id', 'resource_already_exists');
    checkAddress(params.url, 'url');
    const given = params.default_price_data;
    const currency = given === undefined ? '' : currencyGiven(given.currency, 'default_price_data[currency]');
    if (given !== undefined) checkAmount(given.unit_amount ?? 0, currency, 'default_price_data[unit_amount]');
    const priceMetadata = mergedMetadata(null, given?.metadata);
    const now = world.clock.now();
    const product = makeProduct(now, {
      ...(params.id === undefined ? {} : { id: params.id }),
      name: params.name,
      active: params.active ?? true,
      description: params.description || null,
      metadata: mergedMetadata(null, params.metadata),
      images: params.images ?? [],
      url: params.url || null,
      unit_label: params.unit_label || null,
      tax_code: params.tax_code || null,
      statement_descriptor: params.statement_descriptor || null,
      ...keptParams('POST /v1/products', params),
    });
    world.tables.products.insert(product);
    if (given !== undefined) {
      const price = makePrice(now, {
        product: product.id,
        currency,
        unit_amount: given.unit_amount ?? 0,
        interval: given.recurring?.interval ?? null,
        intervalCount: given.recurring?.interval_count ?? 1,
        metadata: priceMetadata,
        tax_behavior: given.tax_behavior ?? 'unspecified',
      });
      world.tables.prices.insert(price);
      product.default_price = price.id;
      world.emit('price.created', price, null);
    }
    world.emit('product.created', product, null);
    return product;
  }),
  route('GET /v1/products/{id}', ({ world, id }) => world.tables.products.inPath(id('id'), 'id')),
  route<Stripe.ProductUpdateParams>('POST /v1/products/{id}', ({ world, id, params }) => {
    const product = world.tables.products.inPath(id('id'), 'id');
    if (params.name === '') throw emptyParameter('name');
    checkAddress(params.url, 'url');
    world.change('product.updated', product, null, (row) => {
      row.name = params.name ?? row.name;
      row.active = params.active ?? row.active;
      if (params.description !== undefined) row.description = params.description || null;
      if (typeof params.default_price === 'string') row.default_price = params.default_price || null;
      if (params.images !== undefined) row.images = params.images || [];
      if (params.url !== undefined) row.url = params.url || null;
      if (params.unit_label !== undefined) row.unit_label = params.unit_label || null;
      if (params.tax_code !== undefined) row.tax_code = params.tax_code || null;
      if (params.statement_descriptor !== undefined)
        row.statement_descriptor = params.statement_descriptor || null;
      Object.assign(row, keptParams('POST /v1/products/{id}', params));
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    product.updated = world.clock.now();
    return product;
  }),
  route('DELETE /v1/products/{id}', ({ world, id }) => {
    const product = world.tables.products.inPath(id('id'), 'id');
    if (world.tables.prices.find((price) => price.product === product.id) !== undefined)
      throw invalidRequest('This product cannot be deleted because it has one or more user-created prices.');
    world.tables.products.delete(product.id);
    world.emit('product.deleted', product, null);
    return { id: product.id, object: 'product', deleted: true };
  }),
];

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
    statement_descriptor: params.product_data.statement_descriptor || null,
    tax_code: params.product_data.tax_code || null,
    unit_label: params.product_data.unit_label || null,
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
    const currency = currencyGiven(params.currency);
    checkAmount(amount, currency, 'unit_amount');
    const options = currencyOptionsGiven(params.currency_options, currency);
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
    keepCurrencyOptions(world, price.id, options);
    world.emit('price.created', price, null);
    return price;
  }),
  route('GET /v1/prices/{price}', ({ world, id }) => world.tables.prices.inPath(id('price'))),
  route<Stripe.PriceUpdateParams>('POST /v1/prices/{price}', ({ world, id, params }) => {
    const price = world.tables.prices.inPath(id('price'));
    const key = params.lookup_key;
    const { currency_options: given } = params;
    const options = currencyOptionsGiven(given || {}, price.currency);
    if (key !== undefined && key !== '')
      claimLookupKey(world, key, params.transfer_lookup_key ?? false, price.id);
    world.change('price.updated', price, null, (row) => {
      row.active = params.active ?? row.active;
      if (params.nickname !== undefined) row.nickname = params.nickname || null;
      row.tax_behavior = params.tax_behavior ?? row.tax_behavior;
      row.metadata = mergedMetadata(row.metadata, params.metadata);
      if (key !== undefined) row.lookup_key = key || null;
    });
    if (given !== undefined) {
      const before = !given ? {} : world.facts.currencyOptions.get(price.id);
      keepCurrencyOptions(world, price.id, { ...before, ...options });
    }
    return price;
  }),
];
