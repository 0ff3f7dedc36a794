import {
  type AttributeKind,
  ELEMENTS,
  type ElementDefinition,
  type ElementName,
  parseNames,
  propertyOf,
} from './definitions.ts';

/** Set by whoever renders the elements. */
export interface Stage {
  readonly connect: (element: BillingElement) => void;
  readonly changed: () => void;
  readonly disconnect: (element: BillingElement) => void;
}

/** Nothing to build on outside of a page, where this may be imported and is not used. */
const Page = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

/** What all elements are alike in. What they show stands in a shadow root, open so that tests can look into it. */
export abstract class BillingElement extends Page {
  abstract readonly kind: ElementName;
  /** What no attribute can hold. */
  readonly held = new Map<string, unknown>();

  /** Says something to the page around. False: somebody does not want what follows by itself. */
  say(name: string, detail: object): boolean {
    return this.dispatchEvent(
      new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }),
    );
  }
}

/** Defines every element that is not there yet. Nothing outside of a page. */
export function defineElements(stage: Stage): void {
  const registry: CustomElementRegistry | null | undefined = globalThis.customElements;
  // A content script has none, and a page that loads this twice has them already.
  for (const name of Object.keys(ELEMENTS) as ElementName[]) {
    if (registry && registry.get(name) === undefined) registry.define(name, elementClass(name, stage));
  }
}

function elementClass(name: ElementName, stage: Stage): typeof HTMLElement {
  const { attributes, properties = [] }: ElementDefinition = ELEMENTS[name];
  const settable = [...Object.keys(attributes).map(propertyOf), ...properties];

  class Defined extends BillingElement {
    static readonly observedAttributes = Object.keys(attributes);
    override readonly kind = name;

    constructor() {
      super();
      this.attachShadow({ mode: 'open', delegatesFocus: name === 'billing-button' });
    }
    connectedCallback(): void {
      // What was set before this was defined hides the property of the class.
      for (const property of settable) {
        if (!Object.hasOwn(this, property)) continue;
        const value: unknown = Reflect.get(this, property);
        Reflect.deleteProperty(this, property);
        Reflect.set(this, property, value);
      }
      stage.connect(this);
    }
    disconnectedCallback(): void {
      stage.disconnect(this);
    }
    attributeChangedCallback(): void {
      if (this.isConnected) stage.changed();
    }
  }
  for (const [attribute, kind] of Object.entries(attributes)) {
    Object.defineProperty(Defined.prototype, propertyOf(attribute), {
      enumerable: true,
      configurable: true,
      get(this: HTMLElement) {
        return readAttribute(this, attribute, kind);
      },
      set(this: HTMLElement, value: unknown) {
        writeAttribute(this, attribute, kind, value);
      },
    });
  }
  for (const property of properties) {
    Object.defineProperty(Defined.prototype, property, {
      enumerable: true,
      configurable: true,
      get(this: Defined) {
        return this.held.get(property) ?? null;
      },
      set(this: Defined, value: unknown) {
        this.held.set(property, value);
      },
    });
  }
  return Defined;
}

function readAttribute(element: HTMLElement, attribute: string, kind: AttributeKind): unknown {
  const value = element.getAttribute(attribute);
  switch (kind) {
    case 'flag':
      return value !== null;
    case 'names':
      return parseNames(value) ?? null;
    case 'text':
      return value ?? '';
    default:
      return kind satisfies never;
  }
}

function writeAttribute(element: HTMLElement, attribute: string, kind: AttributeKind, value: unknown): void {
  if (value === null || value === undefined || (kind === 'flag' && value === false)) {
    element.removeAttribute(attribute);
    return;
  }
  const text = kind === 'flag' ? '' : kind === 'names' ? JSON.stringify(value) : String(value);
  element.setAttribute(attribute, text);
}
