import type { FeatureKey } from '../register.ts';
import type { FeatureNames } from './definitions.ts';

/** What every element takes. */
export interface WithCatalog {
  /** The address of the catalogue inside the extension, such as `billing/catalog.json`; empty where `providePricing` gives it. */
  catalog: string;
}

/** Where somebody signs in. */
export interface WithSignIn {
  /** Google sign-in is set up. */
  google: boolean;
  /** Somebody may start as a guest (Firebase's anonymous sign-in has to be switched on). */
  guest: boolean;
  /** People may sign in by a link that is mailed to them (`signInLinkUrl`). */
  mailLink: boolean;
}

/** `<billing-panel>`: all of billing in one piece. Its children stand between the balance and the plan. */
export interface BillingPanelElement extends HTMLElement, WithCatalog, WithSignIn {
  /** The heading; the extension's own name where it is empty. */
  heading: string;
  /** `full`: a page with usage and the account. Else one column, for a popup or a side panel. */
  layout: '' | 'compact' | 'full';
  /** What features are called, by their names in the catalogue. */
  featureNames: FeatureNames | null;
}

/** `<billing-balance>`: the meter; nothing where somebody has no credits. */
export interface BillingBalanceElement extends HTMLElement, WithCatalog {}

/** `<billing-plans>`: what is sold. Asks somebody who has not signed in to do so, where no panel does. */
export interface BillingPlansElement extends HTMLElement, WithCatalog, WithSignIn {
  /** `list`: rows for a narrow place. Else cards. */
  layout: '' | 'grid' | 'list';
  /** Plans or packs alone; empty for both. */
  only: '' | 'plans' | 'packs';
}

/** `<billing-wall>`: what rises when credits have run out or a plan is needed; nothing before. */
export interface BillingWallElement extends HTMLElement, WithCatalog, WithSignIn {
  /** What features are called, by their names in the catalogue. */
  featureNames: FeatureNames | null;
}

/** `<billing-button feature="…">`: pays for one run of a feature. Its children are the label. */
export interface BillingButtonElement extends HTMLElement, WithCatalog {
  /** The feature's name in the catalogue. */
  feature: FeatureKey | '';
  /**
   * Given: the cost is held while it runs, and taken when it is done. When it throws, nothing is paid. Without it the
   * cost is taken at once, and `billing-paid` says so.
   */
  work: (() => unknown) | null;
}

/** What `billing-paid` says. */
export interface PaidDetail {
  readonly feature: string;
  /** False if no credits were taken: the feature costs this user none, or the charge failed once the work was done. */
  readonly charged: boolean;
  /** What `work` answered. */
  readonly value?: unknown;
}

/** What `billing-refused` says; a toast has said why. */
export interface RefusedDetail {
  readonly feature: string;
}

/** What `billing-failed` says: `work` threw, and nothing was paid. */
export interface FailedDetail {
  readonly feature: string;
  readonly error: unknown;
}

/** The events of the elements. All bubble, also out of shadow roots around. */
export interface BillingElementEvents {
  'billing-paid': CustomEvent<PaidDetail>;
  'billing-refused': CustomEvent<RefusedDetail>;
  'billing-failed': CustomEvent<FailedDetail>;
  'billing-signed-in': CustomEvent<object>;
  /** The balance's "Top up" was pressed. `preventDefault()`: the page shows packs itself. */
  'billing-top-up': CustomEvent<object>;
}

type Attributes<E extends HTMLElement> = {
  readonly key?: string | number | bigint | null;
  readonly ref?: ((element: E | null) => void) | { current: E | null } | null;
  readonly children?: unknown;
  readonly id?: string;
  readonly className?: string;
  readonly class?: string;
  readonly style?: object | string;
  readonly slot?: string;
  readonly hidden?: boolean;
  readonly dir?: string;
  readonly lang?: string;
  readonly title?: string;
  readonly catalog?: string;
} & {
  readonly [Name in keyof BillingElementEvents as `on${Name}`]?: (event: BillingElementEvents[Name]) => void;
} & { readonly [data: `data-${string}`]: unknown; readonly [aria: `aria-${string}`]: unknown };

interface SignInAttributes {
  readonly google?: boolean;
  readonly guest?: boolean;
  readonly 'mail-link'?: boolean;
}

interface NamesAttribute {
  /** A JSON object of texts. */
  readonly 'feature-names'?: string;
}

/** The elements in JSX, by their attributes; properties are set in code, or by React 19. */
interface BillingJsxElements {
  'billing-panel': Attributes<BillingPanelElement> &
    SignInAttributes &
    NamesAttribute & { readonly heading?: string; readonly layout?: BillingPanelElement['layout'] };
  'billing-balance': Attributes<BillingBalanceElement>;
  'billing-plans': Attributes<BillingPlansElement> &
    SignInAttributes & {
      readonly layout?: BillingPlansElement['layout'];
      readonly only?: BillingPlansElement['only'];
    };
  'billing-wall': Attributes<BillingWallElement> & SignInAttributes & NamesAttribute;
  'billing-button': Attributes<BillingButtonElement> & {
    readonly feature: FeatureKey;
    readonly work?: BillingButtonElement['work'];
  };
}

// biome-ignore lint/suspicious/noTsIgnore: pages without React have no such module.
/** @ts-ignore */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends BillingJsxElements {}
  }
}
// biome-ignore lint/suspicious/noTsIgnore: pages without Preact have no such module.
/** @ts-ignore */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements extends BillingJsxElements {}
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'billing-panel': BillingPanelElement;
    'billing-balance': BillingBalanceElement;
    'billing-plans': BillingPlansElement;
    'billing-wall': BillingWallElement;
    'billing-button': BillingButtonElement;
  }
  interface HTMLElementEventMap extends BillingElementEvents {}
  interface DocumentEventMap extends BillingElementEvents {}
}
