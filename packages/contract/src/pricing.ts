/**
 * The one pricing file: what is sold, what a feature costs, how long a trial lasts.
 * The server charges from it, the extension advertises from it, so the two cannot disagree.
 * Display amounts are in minor currency units (cents) and are only shown: the amount that is charged
 * belongs to the provider's price, found by `lookupKey`.
 */

export const PLAN_KEYS = [
  'premium_monthly',
  'premium_yearly',
  'premium_lifetime',
  'premium_metered_monthly',
] as const;
export const PACK_KEYS = ['credits_pack_small', 'credits_pack_large'] as const;

export type PlanKey = (typeof PLAN_KEYS)[number];
export type PackKey = (typeof PACK_KEYS)[number];
/** The stable name of a price at the provider; the only thing that a client may send to buy something. */
export type LookupKey = PlanKey | PackKey;

/** `subscription` renews; `lifetime` is paid once and kept; `pack` adds credits that never expire. */
export type PurchaseKind = 'subscription' | 'lifetime' | 'pack';
/** `hybrid-credits`: subscription, allowance and packs. `credits-only`: packs. `subscription`: no credits at all. */
export type BillingModel = 'hybrid-credits' | 'credits-only' | 'subscription';
/**
 * Who may run a feature, and whether it takes credits (docs/decisions/0065-gates.md):
 * `metered` spends credits and raises a top-up wall at 0; `paywall` needs `paid` and takes none; `none` always runs.
 */
export type GatePreset = 'metered' | 'paywall' | 'none';

export interface PlanOffer {
  readonly lookupKey: PlanKey;
  readonly kind: 'subscription' | 'lifetime';
  /** `once` for a lifetime plan. */
  readonly interval: 'month' | 'year' | 'once';
  /** Minor currency units, for display. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** Credits in each month's allowance; 0 when the plan is not metered. */
  readonly monthlyCredits: number;
  readonly hasTrial: boolean;
  /** What the plan is called. Monthly and yearly of one plan have the same name; without one it follows from the rest. */
  readonly name?: string;
  /** What the plan gives, a few words each; without them they follow from what it is. */
  readonly benefits?: readonly string[];
}

export interface PackOffer {
  readonly lookupKey: PackKey;
  readonly kind: 'pack';
  /** Minor currency units, for display. */
  readonly amount: number;
  readonly currency: string;
  readonly credits: number;
}

export interface FeaturePrice {
  /** Credits per call, a positive integer; what a `metered` gate needs, and the others do not read. */
  readonly cost?: number;
  /** Overrides the file's `gate` for this feature. */
  readonly gate?: GatePreset;
}

export interface Pricing {
  readonly model: BillingModel;
  readonly gate: GatePreset;
  /** Must equal the server's BILLING_TRIAL_DAYS: the client advertises one, the provider enforces the other. */
  readonly trialDays: number;
  readonly plans: readonly PlanOffer[];
  readonly packs: readonly PackOffer[];
  readonly features: Readonly<Record<string, FeaturePrice>>;
}

export const pricing: Pricing = {
  model: 'hybrid-credits',
  gate: 'metered',
  trialDays: 7,
  plans: [
    {
      lookupKey: 'premium_monthly',
      kind: 'subscription',
      interval: 'month',
      amount: 900,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: true,
    },
    {
      lookupKey: 'premium_yearly',
      kind: 'subscription',
      interval: 'year',
      amount: 9000,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: true,
    },
    {
      lookupKey: 'premium_metered_monthly',
      kind: 'subscription',
      interval: 'month',
      amount: 1900,
      currency: 'usd',
      monthlyCredits: 1000,
      hasTrial: true,
    },
    {
      lookupKey: 'premium_lifetime',
      kind: 'lifetime',
      interval: 'once',
      amount: 19900,
      currency: 'usd',
      monthlyCredits: 0,
      hasTrial: false,
    },
  ],
  packs: [
    { lookupKey: 'credits_pack_small', kind: 'pack', amount: 500, currency: 'usd', credits: 100 },
    { lookupKey: 'credits_pack_large', kind: 'pack', amount: 2000, currency: 'usd', credits: 500 },
  ],
  features: {
    demo: { cost: 1 },
    demo_deep: { cost: 5 },
  },
};

/** The offer behind a lookup key, or undefined for a key that this file does not sell. */
export function offerOf(catalog: Pricing, lookupKey: string): PlanOffer | PackOffer | undefined {
  return [...catalog.plans, ...catalog.packs].find((offer) => offer.lookupKey === lookupKey);
}

/** Whether a price's lookup key is one of a plan that this project sells by the period. */
export function isPlanKey(lookupKey: unknown): boolean {
  return typeof lookupKey === 'string' && offerOf(pricing, lookupKey)?.kind === 'subscription';
}

/** The gate of a feature, or undefined for a feature that this file does not name. */
export function gateOf(catalog: Pricing, feature: string): GatePreset | undefined {
  return Object.hasOwn(catalog.features, feature)
    ? (catalog.features[feature]?.gate ?? catalog.gate)
    : undefined;
}

/**
 * Credits that one call of a feature takes: 0 behind a gate that takes none, 1 where a metered feature names no cost.
 * Undefined for a feature that this file does not name.
 */
export function costOf(catalog: Pricing, feature: string): number | undefined {
  const gate = gateOf(catalog, feature);
  if (gate === undefined) return undefined;
  return gate === 'metered' ? (catalog.features[feature]?.cost ?? 1) : 0;
}
