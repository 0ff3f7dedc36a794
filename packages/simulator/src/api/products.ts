import type Stripe from 'stripe';
import { checkAddress, currencyGiven } from '../http/check-values.ts';
import { emptyParameter, invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { makePrice } from '../objects/price.ts';
import { makeProduct } from '../objects/product.ts';

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
