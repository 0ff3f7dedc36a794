import type { Catalog } from './catalog.ts';

/**
 * A catalogue as it was published: `billing_catalog/current` is the one in force, and each version stays under its own
 * number for good. The document holds the catalogue as JSON text, so that its keys keep their order and any name fits.
 */
export interface PublishedCatalog {
  /** 1 for the first. A version that is brought back keeps its number. */
  readonly version: number;
  readonly catalog: Catalog;
}

/** The form of the document; a reader of another form goes by what it had. */
export const PUBLISHED_FORM = 1;

/** The fields of the document, beside `publishedAt`. */
export function publishedFields({ version, catalog }: PublishedCatalog) {
  return { form: PUBLISHED_FORM, version, catalog: JSON.stringify(catalog) } as const;
}

/**
 * What such a document says; null where it says nothing that can be gone by. Only owners of the project write it, so
 * this looks at its shape and no further: the service, which charges from it, checks the rest (check-catalog.ts).
 */
export function readPublished(data: unknown): PublishedCatalog | null {
  const { form, version, catalog: text } = fieldsOf(data);
  if (form !== PUBLISHED_FORM || typeof version !== 'number' || typeof text !== 'string') return null;
  const catalog = parse(text);
  return isCatalog(catalog) ? { version, catalog } : null;
}

/** Whether a value has the shape of a catalogue. Fields that a later build added are no harm. */
function isCatalog(value: unknown): value is Catalog {
  const { gate, trialDays, plans, packs, features, entitlements, apps } = fieldsOf(value);
  return (
    typeof gate === 'string' &&
    typeof trialDays === 'number' &&
    [plans, packs].every((offers) => Array.isArray(offers) && offers.every(isOffer)) &&
    [features, entitlements, apps].every((each) => typeof each === 'object' && each !== null)
  );
}

function isOffer(value: unknown): boolean {
  const { lookupKey, kind, amount, currency, prices } = fieldsOf(value);
  return (
    [lookupKey, kind].every((text) => typeof text === 'string') &&
    Object.entries({ ...fieldsOf(prices), [String(currency)]: amount }).every(isPrice)
  );
}

/** Intl throws for a currency of another form, and the page that shows it would be blank. */
function isPrice([currency, amount]: [string, unknown]): boolean {
  return /^[a-z]{3}$/.test(currency) && Number.isSafeInteger(amount);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
