import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { currencyGiven } from '../http/values.ts';
import { currencyOptionsGiven, keepCurrencyOptions } from '../prices/currencies.ts';
import { makePrice, makeProduct } from '../prices/price.ts';
import type { CatalogEntry, World } from './world.ts';

/**
 * What a file sells: JSON, or a module whose default export it is.
 * @throws Error naming the file and what is wrong with it
 */
export async function readCatalog(file: string): Promise<readonly CatalogEntry[]> {
  const refused = (why: string) => new Error(`${file} is no catalogue: ${why}.`);
  let entries: unknown;
  try {
    entries = file.endsWith('.json')
      ? JSON.parse(readFileSync(file, 'utf8'))
      : ((await import(pathToFileURL(resolve(file)).href)) as { default?: unknown }).default;
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
  if (!Array.isArray(entries)) throw refused('it must hold a list, as JSON or as its default export');
  for (const [index, entry] of entries.entries()) {
    const wrong = flawOf(entry);
    if (wrong !== null) throw refused(`entry ${index + 1} ${wrong}`);
  }
  return entries as CatalogEntry[];
}

const INTERVALS: readonly unknown[] = ['day', 'week', 'month', 'year', null];

/** What is wrong with an entry that somebody wrote; null when nothing is. */
function flawOf(entry: unknown): string | null {
  if (typeof entry !== 'object' || entry === null) return 'is no object';
  const { lookupKey, name, amount, currency, interval, prices } = entry as Partial<Record<string, unknown>>;
  if (typeof lookupKey !== 'string' || lookupKey === '') return 'has no "lookupKey"';
  if (typeof name !== 'string' || name === '') return 'has no "name"';
  if (!Number.isSafeInteger(amount) || Number(amount) < 0) return 'needs an "amount" in minor currency units';
  if (!INTERVALS.includes(interval)) return 'needs an "interval" of day, week, month, year or null';
  try {
    currencyGiven(String(currency));
  } catch {
    return 'needs a "currency" that Stripe takes, such as eur';
  }
  if (prices !== undefined && (typeof prices !== 'object' || prices === null))
    return 'needs "prices" that are amounts by currency';
  try {
    currencyOptionsGiven(optionsOf(prices as CatalogEntry['prices']), String(currency).toLowerCase());
    return null;
  } catch (error) {
    return `has "prices" that Stripe does not take: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function optionsOf(prices: CatalogEntry['prices'] = {}) {
  return Object.fromEntries(
    Object.entries(prices).map(([currency, amount]) => [currency, { unit_amount: amount }]),
  );
}

/** Puts the catalogue into an empty account, without events: it was there before anybody listened. */
export function seedCatalog(world: World): void {
  const now = world.clock.now();
  for (const entry of world.options.catalog) {
    const { lookupKey, name, description = null, amount, interval } = entry;
    const metadata = { ...entry.metadata };
    const product = makeProduct(now, { id: `prod_${lookupKey}`, name, description, metadata });
    const price = makePrice(now, {
      id: `price_${lookupKey}`,
      product: product.id,
      currency: currencyGiven(entry.currency),
      unit_amount: amount,
      interval,
      lookup_key: lookupKey,
      metadata: { ...metadata },
    });
    product.default_price = price.id;
    world.tables.products.insert(product);
    world.tables.prices.insert(price);
    keepCurrencyOptions(world, price.id, currencyOptionsGiven(optionsOf(entry.prices), price.currency));
  }
}

/** Back to the catalogue and the registered endpoints; time is the machine's again. */
export function resetWorld(world: World): void {
  for (const [name, table] of Object.entries(world.tables)) if (name !== 'webhook_endpoints') table.clear();
  const { endpointSecrets, ...others } = world.facts;
  for (const facts of Object.values(others)) facts.clear();
  for (const id of [...endpointSecrets.keys()])
    if (world.tables.webhook_endpoints.get(id) === undefined) endpointSecrets.delete(id);
  world.clock.reset();
  seedCatalog(world);
}
