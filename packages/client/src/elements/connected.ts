import { providePricing, wholeCatalog } from '../given-catalog.ts';
import { pageBrowser } from '../page-browser.ts';
import type { BillingElement, Stage } from './billing-element.ts';
import { readCatalog } from './read-catalog.ts';

/** After this a page that gave no catalogue hears of it. */
const PATIENCE_MS = 5_000;

/** The elements of a page, in its order. Another array after every change, also of an attribute. */
export interface ConnectedElements extends Stage {
  get(): readonly BillingElement[];
  subscribe(listener: () => void): () => void;
}

/** @param onFirst called once, with the first element: the catalogue that it names is on its way. */
export function connectedElements(onFirst: (catalog: Promise<void>) => void): ConnectedElements {
  const present = new Set<BillingElement>();
  const listeners = new Set<() => void>();
  const read = new Set<string>();
  let inOrder: readonly BillingElement[] = [];
  let isDue = false;
  let isFirst = true;

  /** Once for all that happens at once: an element that only moves goes and comes. */
  function changed(): void {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      inOrder = [...present].sort(byPlace);
      const catalog = Promise.all(inOrder.map(bring));
      if (isFirst && inOrder.length > 0) {
        isFirst = false;
        onFirst(catalog.then(() => {}));
        setTimeout(sayWhatIsMissing, PATIENCE_MS);
      }
      for (const listener of listeners) listener();
    });
  }

  /** Gives the pages the catalogue that an element names; each address once. */
  async function bring(element: BillingElement): Promise<void> {
    const address = element.getAttribute('catalog');
    if (address === null || address === '' || read.has(address)) return;
    read.add(address);
    try {
      providePricing(await readCatalog(address, pageBrowser().runtime.getURL('/')));
    } catch (error) {
      console.error(`<${element.kind} catalog="${address}">:`, error);
    }
  }

  return {
    get: () => inOrder,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed,
    connect(element) {
      present.add(element);
      changed();
    },
    disconnect(element) {
      present.delete(element);
      changed();
    },
  };
}

function byPlace(one: Node, other: Node): number {
  return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1;
}

function sayWhatIsMissing(): void {
  if (wholeCatalog !== null) return;
  console.error(
    'Billing has no catalogue to show. Call providePricing(pricing) of elements.js (@extension-billing/client/elements), or name a file of the extension: <billing-panel catalog="billing/catalog.json">.',
  );
}
