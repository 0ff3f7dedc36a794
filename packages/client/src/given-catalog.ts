import { type App, appOf, type Catalog } from '@extension-billing/contract/catalog';
import { readPublished } from '@extension-billing/contract/published-catalog';
import type { BrowserStorage } from './browser-storage.ts';
import { soldIn } from './offered.ts';
import { pageBrowser } from './page-browser.ts';
import { catalogPlace, type SnapshotPlace } from './snapshot/snapshot.ts';

/**
 * What this extension sells and what a feature costs: as the service published it last, else the file that the extension
 * gave, at the amounts that are charged as far as they are known. A live binding, read at each render. Reading it before
 * then says what is missing.
 */
export let givenCatalog: Catalog = new Proxy({} as Catalog, {
  get() {
    throw new Error('No prices yet. Call providePricing(pricing) before the first component renders.');
  },
});

/** All that the project sells, in whichever of its extensions: what somebody has may have been bought in another. */
export let wholeCatalog: Catalog | null = null;

const listeners = new Set<() => void>();
let bundled: Catalog | null = null;
let published: Catalog | null = null;
let chosen: Catalog | null = null;
let priced = (catalog: Catalog): Catalog => catalog;

/**
 * Gives the components what is sold and what a feature costs, for the first paint and as long as nothing is published.
 * Call it once, before the first render of a page.
 */
export function providePricing(given: Catalog): void {
  bundled = given;
  choose();
}

function choose(): void {
  const next = published ?? bundled;
  if (next === null || next === chosen) return;
  chosen = next;
  wholeCatalog = inUsersWords(next);
  show();
}

function show(): void {
  if (wholeCatalog === null) return;
  givenCatalog = priced(soldIn(wholeCatalog, thisApp()));
  for (const listener of listeners) listener();
}

/** Shows the catalogue at other amounts than its own. */
export function showPrices(at: (catalog: Catalog) => Catalog): void {
  priced = at;
  show();
}

/** What of several extensions this one is; null where there is one, or no catalogue was given. */
export function thisApp(): App | null {
  return wholeCatalog && appOf(wholeCatalog, pageBrowser()?.runtime?.id ?? null);
}

/** The catalogue with texts of the extension's `_locales` where it names one: `__MSG_name__`, as manifests do. */
function inUsersWords(catalog: Catalog): Catalog {
  const text = JSON.stringify(catalog);
  if (!text.includes('"__MSG_')) return catalog;
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/^__MSG_(\w+)__$/, (named, key: string) => pageBrowser().i18n.getMessage(key) || named)
      : value,
  );
}

/** Calls the listener after every change. Returns the function that ends it. */
export function onPricingChanged(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let loaded: Promise<void> | undefined;

/** Settles when the published prices were read. Await it before the first render to paint them at once. */
export function pricingLoaded(): Promise<void> {
  loaded ??= followPublished(pageBrowser().storage, catalogPlace(pageBrowser()));
  return loaded;
}

/** Goes by what the worker keeps of the published catalogue, now and whenever it changes. */
export async function followPublished(
  storage: BrowserStorage,
  { areaName, key }: SnapshotPlace,
): Promise<void> {
  let isChanged = false;
  const take = (stored: unknown): void => {
    published = readPublished(stored)?.catalog ?? null;
    choose();
  };
  storage.onChanged.addListener((changes, area) => {
    const change = area === areaName ? changes[key] : undefined;
    if (change === undefined) return;
    isChanged = true;
    take(change.newValue);
  });
  try {
    const { [key]: stored } = await storage[areaName].get(key);
    // A change that was reported meanwhile is newer than what this read saw.
    if (!isChanged) take(stored);
  } catch {
    // A content script in an area that it may not read: the bundled one.
  }
}
