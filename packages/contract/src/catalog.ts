import type { Period } from './period.ts';
import type { AllowanceTerms, SpendLimit } from './schedule.ts';

/** The stable name of a price at the provider; the only thing that a client may send to buy something. */
export type LookupKey = string;

/** `subscription` renews; `lifetime` is paid once and kept; `pack` adds credits beside any plan. */
export type PurchaseKind = 'subscription' | 'lifetime' | 'pack';
/** `hybrid-credits`: subscription, allowance and packs. `credits-only`: packs. `subscription`: no credits at all. */
export type BillingModel = 'hybrid-credits' | 'credits-only' | 'subscription';
/**
 * Who may run a feature, and whether it takes credits (docs/decisions/catalogue.md#gates):
 * `metered` spends credits and raises a top-up wall at 0; `paywall` needs `paid` and takes none; `none` always runs.
 */
export type GatePreset = 'metered' | 'paywall' | 'none';

/** What an offer is called where the provider names it: at the checkout, on receipts and in the portal. */
export interface Product {
  readonly name: string;
  readonly description?: string;
}

/** What plans and packs have in common. A text of the form `__MSG_name__` is a message of the extension's `_locales`. */
interface Sold {
  readonly lookupKey: LookupKey;
  /** Minor currency units, for display: the amount that is charged belongs to the provider's price. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The same in further currencies: minor units by currency (Stripe's `currency_options`). */
  readonly prices?: Readonly<Record<string, number>>;
  /** What pages call it. Monthly and yearly of one plan have the same name; without one it follows from the rest. */
  readonly name?: string;
  readonly description?: string;
  /** The offer that pages recommend. */
  readonly popular?: boolean;
  readonly product?: Product;
}

/** A plan as pages offer it. */
export interface PlanOffer extends Sold {
  readonly kind: 'subscription' | 'lifetime';
  /** `once` for a lifetime plan. */
  readonly interval: 'month' | 'year' | 'once';
  /** The entitlements that it brings, with all that they include, sorted. */
  readonly grants: readonly string[];
  /** The credits that come with it; null when the plan is not metered. */
  readonly credits: AllowanceTerms | null;
  readonly trial: boolean;
  /** What the plan gives, a few words each; without them they follow from what it is. */
  readonly benefits?: readonly string[];
}

/** A pack of credits as pages offer it. */
export interface PackOffer extends Sold {
  readonly kind: 'pack';
  readonly credits: number;
  /** Days from the purchase on; a pack without them never expires. */
  readonly expiresAfterDays?: number;
}

export type Offer = PlanOffer | PackOffer;

/** So many credits for so many units: `{ credits: 3, per: 1000 }`. */
export interface Rate {
  /** Whole, from 0. */
  readonly credits: number;
  /** Whole, from 1. */
  readonly per: number;
}

/** What a feature costs, and what it needs. */
export interface FeaturePrice {
  /** Credits per call, a positive whole number; what a `metered` gate needs, and the others do not read. */
  readonly cost?: number;
  /** The most credits that a call may take: they are held first, and a backend settles what was used. */
  readonly hold?: number;
  /** Credits beyond the hold that a backend may still take when it settles, of what is there then. None without it. */
  readonly overdraw?: number;
  /** What each unit of work costs, by its name (`input`, `output`, `pages`), where a backend measures in units. */
  readonly rates?: Readonly<Record<string, Rate>>;
  /** Overrides the catalogue's `gate` for this feature. */
  readonly gate?: GatePreset;
  /** The entitlement without which it does not run, whatever its gate. */
  readonly needs?: string;
}

/** What every account gets without paying. */
export interface FreeCredits {
  readonly credits: number;
  /** `once`: for good, and never again. */
  readonly every: Period | 'once';
  /** What a guest gets of it, who has no e-mail address: at most as many. */
  readonly guests: number;
  /** Whether only a verified e-mail address gets any. */
  readonly verifiedEmail: boolean;
  /** Free credits that the whole project spends in a day (UTC) at most; null without a ceiling. */
  readonly dailyCeiling: number | null;
  readonly limits?: readonly SpendLimit[];
}

/** One of several extensions of a project. */
export interface App {
  /** For people who read reports. */
  readonly name?: string;
  /** Lookup keys of what it offers. */
  readonly sells: readonly LookupKey[];
  /** The entitlements that count in it. */
  readonly entitlements: readonly string[];
}

/**
 * What is sold, what a feature costs, how long a trial lasts: billing.config.ts, as `defineCatalog` resolves it.
 * The server charges from it, the extension advertises from it, so the two cannot disagree. It is plain data, the same
 * as JSON.
 */
export interface Catalog {
  readonly model: BillingModel;
  /** The gate of every feature that names none of its own. */
  readonly gate: GatePreset;
  /** What an account without credits may do behind a metered gate: run for free (specification, rule 3), or nothing. */
  readonly unmetered: 'free' | 'refuse';
  /** Of a first subscription. BILLING_TRIAL_DAYS of the server wins where it is set, and must be equal then. */
  readonly trialDays: number;
  /** Currencies that every offer has a price in; absent where there is no such promise. */
  readonly currencies?: readonly string[];
  readonly free: FreeCredits | null;
  /** Each entitlement with all that it includes, itself too; sorted. */
  readonly entitlements: Readonly<Record<string, readonly string[]>>;
  readonly plans: readonly PlanOffer[];
  readonly packs: readonly PackOffer[];
  readonly features: Readonly<Record<string, FeaturePrice>>;
  /** By extension id; empty where there is one extension, which sells everything. */
  readonly apps: Readonly<Record<string, App>>;
}

/** Everything that a catalogue sells, plans first. */
export function offersOf(catalog: Catalog): readonly Offer[] {
  return [...catalog.plans, ...catalog.packs];
}

/** The offer behind a lookup key, or undefined for a key that the catalogue does not sell. */
export function offerOf(catalog: Catalog, lookupKey: string): Offer | undefined {
  return offersOf(catalog).find((offer) => offer.lookupKey === lookupKey);
}

/** What a plan of this key brings beside `paid`; nothing for a key that the catalogue does not sell. */
export function grantsOf(catalog: Catalog, lookupKey: string | null): readonly string[] {
  const offer = lookupKey === null ? undefined : offerOf(catalog, lookupKey);
  return offer === undefined || offer.kind === 'pack' ? [] : offer.grants;
}

/** Whether there is any entitlement beside `paid`. */
export function hasTiers({ entitlements }: Pick<Catalog, 'entitlements'>): boolean {
  return Object.keys(entitlements).length > 0;
}

/**
 * What an extension offers and reads: that of its app. An extension that `apps` does not name, or a caller that is none,
 * has everything: where there is one extension, and on a developer's machine (docs/decisions/catalogue.md).
 */
export function appOf(catalog: Catalog, extension: string | null): App | null {
  if (extension === null || !Object.hasOwn(catalog.apps, extension)) return null;
  return catalog.apps[extension] ?? null;
}

/** Whether an extension may offer what is sold under a lookup key. */
export function isSoldIn(app: App | null, lookupKey: LookupKey): boolean {
  return app === null || app.sells.includes(lookupKey);
}

/** Credits in one period of a plan's allowance; 0 where it has none. */
export function allowanceOf({ credits }: PlanOffer): number {
  return credits?.amount ?? 0;
}

/**
 * The terms of a plan whose credits come by the clock; null where each paid invoice brings a period's whole allowance,
 * and where there are none.
 */
export function clockTermsOf({ interval, credits }: PlanOffer): AllowanceTerms | null {
  if (credits === null) return null;
  const { every, rollover = 0, limits = [] } = credits;
  return every === interval && rollover === 0 && limits.length === 0 ? null : credits;
}

/** What an offer is called at the provider: at the checkout, on receipts, in the portal. */
export function productName(offer: Offer): string {
  return offer.product?.name ?? offer.name ?? offer.lookupKey;
}

/** Whether a price's lookup key is one of a plan that the catalogue sells by the period. */
export function isPlanKey(catalog: Catalog, lookupKey: unknown): boolean {
  return typeof lookupKey === 'string' && offerOf(catalog, lookupKey)?.kind === 'subscription';
}
