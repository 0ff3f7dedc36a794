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
