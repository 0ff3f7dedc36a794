/** Every custom element with what can be set on it and what it says: docs/elements.md and the types follow from it. */
export const ELEMENTS = {
  'billing-panel': {
    attributes: {
      catalog: 'text',
      'feature-names': 'names',
      google: 'flag',
      guest: 'flag',
      heading: 'text',
      layout: 'text',
      'mail-link': 'flag',
    },
    events: ['billing-signed-in'],
  },
  'billing-balance': { attributes: { catalog: 'text' }, events: ['billing-top-up'] },
  'billing-plans': {
    attributes: {
      catalog: 'text',
      google: 'flag',
      guest: 'flag',
      layout: 'text',
      'mail-link': 'flag',
      only: 'text',
    },
    events: ['billing-signed-in'],
  },
  'billing-wall': {
    attributes: {
      catalog: 'text',
      'feature-names': 'names',
      google: 'flag',
      guest: 'flag',
      'mail-link': 'flag',
    },
    events: ['billing-signed-in'],
  },
  'billing-button': {
    attributes: { catalog: 'text', feature: 'text' },
    properties: ['work'],
    events: ['billing-paid', 'billing-refused', 'billing-failed'],
  },
} as const satisfies Readonly<Record<string, ElementDefinition>>;

/** What an element takes and says. */
export interface ElementDefinition {
  /** `flag`: there or not. `names`: a JSON object of texts. */
  readonly attributes: Readonly<Record<string, AttributeKind>>;
  /** What no attribute can hold. */
  readonly properties?: readonly string[];
  readonly events: readonly string[];
}

export type ElementName = keyof typeof ELEMENTS;
export type AttributeKind = 'text' | 'flag' | 'names';
/** What features are called, by their names in the catalogue. */
export type FeatureNames = Readonly<Record<string, string>>;

/** The property that goes with an attribute: `feature-names` is `featureNames`. */
export function propertyOf(attribute: string): string {
  return attribute.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The texts of a JSON object; undefined where it is none. */
export function parseNames(text: string | null): FeatureNames | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, given]) => [name, String(given)]));
  } catch {
    return undefined;
  }
}
