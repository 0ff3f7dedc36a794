import { makePrice, makeProduct } from '../prices/price.ts';
import type { World } from './world.ts';

interface Seeded {
  key: string;
  name: string;
  description: string;
  amount: number;
  interval: 'month' | 'year' | null;
  metadata: Record<string, string>;
}

/** The catalog that the simulator starts with, found by lookup key. Amounts in US cents. */
const CATALOG: readonly Seeded[] = [
  {
    key: 'premium_monthly',
    name: 'Premium',
    description: 'Everything, billed monthly.',
    amount: 900,
    interval: 'month',
    metadata: {},
  },
  {
    key: 'premium_yearly',
    name: 'Premium (yearly)',
    description: 'Everything, billed yearly.',
    amount: 9000,
    interval: 'year',
    metadata: {},
  },
  {
    key: 'premium_lifetime',
    name: 'Premium (lifetime)',
    description: 'Everything, paid once.',
    amount: 19900,
    interval: null,
    metadata: {},
  },
  {
    key: 'premium_metered_monthly',
    name: 'Premium with credits',
    description: 'Everything, with 1,000 credits each month.',
    amount: 1900,
    interval: 'month',
    metadata: { monthly_credits: '1000' },
  },
  {
    key: 'credits_pack_small',
    name: '100 credits',
    description: 'Credits that never expire.',
    amount: 500,
    interval: null,
    metadata: { credits: '100' },
  },
  {
    key: 'credits_pack_large',
    name: '500 credits',
    description: 'Credits that never expire.',
    amount: 2000,
    interval: null,
    metadata: { credits: '500' },
  },
];

/** Puts the catalog into an empty account, without events: it was there before anybody listened. */
export function seedCatalog(world: World): void {
  const now = world.clock.now();
  for (const { key, name, description, amount, interval, metadata } of CATALOG) {
    const product = makeProduct(now, { id: `prod_${key}`, name, description, metadata });
    const price = makePrice(now, {
      id: `price_${key}`,
      product: product.id,
      currency: 'usd',
      unit_amount: amount,
      interval,
      lookup_key: key,
      metadata,
    });
    product.default_price = price.id;
    world.tables.products.insert(product);
    world.tables.prices.insert(price);
  }
}

/** Back to the seeded catalog and the registered endpoints; time is the machine's again. */
export function resetWorld(world: World): void {
  for (const [name, table] of Object.entries(world.tables)) if (name !== 'webhook_endpoints') table.clear();
  const { endpointSecrets, ...others } = world.facts;
  for (const facts of Object.values(others)) facts.clear();
  for (const id of [...endpointSecrets.keys()])
    if (world.tables.webhook_endpoints.get(id) === undefined) endpointSecrets.delete(id);
  world.clock.reset();
  seedCatalog(world);
}
