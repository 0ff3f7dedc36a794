/** The stable name of a price at the provider; the only thing that a client may send to buy something. */
export type LookupKey = string;

/** `subscription` renews; `lifetime` is paid once and kept; `pack` adds credits that never expire. */
export type PurchaseKind = 'subscription' | 'lifetime' | 'pack';
/** `hybrid-credits`: subscription, allowance and packs. `credits-only`: packs. `subscription`: no credits at all. */
export type BillingModel = 'hybrid-credits' | 'credits-only' | 'subscription';
/**
 * Who may run a feature, and whether it takes credits (docs/decisions/0065-gates.md):
 * `metered` spends credits and raises a top-up wall at 0; `paywall` needs `paid` and takes none; `none` always runs.
 */
export type GatePreset = 'metered' | 'paywall' | 'none';

/** What an offer is called where the provider names it: at the checkout, on receipts and in the portal. */
export interface Product {
  readonly name: string;
  readonly description?: string;
}

export interface PlanOffer {
  readonly lookupKey: LookupKey;
  readonly kind: 'subscription' | 'lifetime';
  /** `once` for a lifetime plan. */
  readonly interval: 'month' | 'year' | 'once';
  /** Minor currency units, for display: the amount that is charged belongs to the provider's price. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Credits in each month's allowance; 0 when the plan is not metered. */
  readonly monthlyCredits: number;
  readonly hasTrial: boolean;
  /** What pages call the plan. Monthly and yearly of one plan have the same name; without one it follows from the rest. */
  readonly name?: string;
  /** What the plan gives, a few words each; without them they follow from what it is. */
  readonly benefits?: readonly string[];
  readonly product?: Product;
}

export interface PackOffer {
  readonly lookupKey: LookupKey;
  readonly kind: 'pack';
  /** Minor currency units, for display. */
  readonly amount: number;
  readonly currency: string;
  readonly credits: number;
  readonly product?: Product;
}

export type Offer = PlanOffer | PackOffer;

export interface FeaturePrice {
  /** Credits per call, a positive whole number; what a `metered` gate needs, and the others do not read. */
  readonly cost?: number;
  /** Overrides the catalogue's `gate` for this feature. */
  readonly gate?: GatePreset;
}

/**
 * What is sold, what a feature costs, how long a trial lasts: the content of `billing.config.ts`. The server charges
 * from it, the extension advertises from it, so the two cannot disagree. It is plain data, the same as JSON.
 * The schema that checks it is in define-catalog.ts, and the compiler holds the two to each other.
 */
export interface Catalog {
  readonly model: BillingModel;
  /** The gate of every feature that names none of its own. */
  readonly gate: GatePreset;
  /** Must equal the server's BILLING_TRIAL_DAYS: the client advertises one, the provider enforces the other. */
  readonly trialDays: number;
  readonly plans: readonly PlanOffer[];
  readonly packs: readonly PackOffer[];
  readonly features: Readonly<Record<string, FeaturePrice>>;
}

/** Everything that a catalogue sells, plans first. */
export function offersOf(catalog: Catalog): readonly Offer[] {
  return [...catalog.plans, ...catalog.packs];
}

/** The offer behind a lookup key, or undefined for a key that the catalogue does not sell. */
export function offerOf(catalog: Catalog, lookupKey: string): Offer | undefined {
  return offersOf(catalog).find((offer) => offer.lookupKey === lookupKey);
}

/** What an offer is called at the provider: at the checkout, on receipts, in the portal. */
export function productName(offer: Offer): string {
  return offer.product?.name ?? (offer.kind === 'pack' ? offer.lookupKey : (offer.name ?? offer.lookupKey));
}

/** Whether a price's lookup key is one of a plan that the catalogue sells by the period. */
export function isPlanKey(catalog: Catalog, lookupKey: unknown): boolean {
  return typeof lookupKey === 'string' && offerOf(catalog, lookupKey)?.kind === 'subscription';
}

/** The gate of a feature, or undefined for a feature that the catalogue does not name. */
export function gateOf(catalog: Catalog, feature: string): GatePreset | undefined {
  return Object.hasOwn(catalog.features, feature)
    ? (catalog.features[feature]?.gate ?? catalog.gate)
    : undefined;
}

/**
 * Credits that one call of a feature takes: 0 behind a gate that takes none, 1 where a metered feature names no cost.
 * Undefined for a feature that the catalogue does not name.
 */
export function costOf(catalog: Catalog, feature: string): number | undefined {
  const gate = gateOf(catalog, feature);
  if (gate === undefined) return undefined;
  return gate === 'metered' ? (catalog.features[feature]?.cost ?? 1) : 0;
}
