import type { PurchaseKind } from '@extension-billing/contract/pricing';

/**
 * What a purchase says about itself on the provider's objects (specification, "Price catalog"; design,
 * section 5). Written once at checkout onto the session and onto the subscription or the payment intent,
 * read by the webhook from whichever object an event carries. It is what lets credits be granted without
 * another call to the provider.
 */
export interface Purchase {
  readonly uid: string;
  readonly kind: PurchaseKind;
  readonly lookupKey: string;
  readonly priceId: string;
  /** Credits that a pack adds, a positive integer; 0 for anything else. */
  readonly credits: number;
  /** Credits in each month's allowance, a positive integer; 0 for a plan that is not metered. */
  readonly monthlyCredits: number;
  /** The Firebase project that sold it: several may share an account at the provider. Absent where it is not known. */
  readonly project?: string;
}

/** What `readMetadata` found: only the parts that are present and legal. */
export type PurchaseMetadata = Partial<Purchase>;

type MetadataMap = Readonly<Record<string, string>>;

/** The provider's key for each part; nothing else in the code names them. */
const KEY = {
  uid: 'uid',
  kind: 'kind',
  lookupKey: 'lookup_key',
  priceId: 'price_id',
  credits: 'credits',
  monthlyCredits: 'monthly_credits',
  project: 'project',
} as const satisfies Record<keyof Required<Purchase>, string>;

const KINDS: readonly PurchaseKind[] = ['subscription', 'lifetime', 'pack'];

/** Stripe allows 500 characters in a metadata value. */
const MAX_VALUE_LENGTH = 500;

/** Credits beyond this are a typing mistake in the dashboard, and would lose precision in arithmetic. */
const MAX_CREDITS = 1_000_000_000;

/** The metadata of a purchase as the provider wants it: strings only, amounts left out when they are 0. */
export function writeMetadata(purchase: Purchase): Record<string, string> {
  return {
    [KEY.uid]: purchase.uid,
    [KEY.kind]: purchase.kind,
    [KEY.lookupKey]: purchase.lookupKey,
    [KEY.priceId]: purchase.priceId,
    ...(purchase.credits > 0 && { [KEY.credits]: String(purchase.credits) }),
    ...(purchase.monthlyCredits > 0 && { [KEY.monthlyCredits]: String(purchase.monthlyCredits) }),
    ...(purchase.project !== undefined && { [KEY.project]: purchase.project }),
  };
}

/** Reads what `writeMetadata` wrote, or a person typed. Illegal values are left out; it never throws. */
export function readMetadata(metadata: MetadataMap | null | undefined): PurchaseMetadata {
  if (metadata === null || typeof metadata !== 'object') return {};
  const uid = text(metadata, KEY.uid);
  const kind = KINDS.find((known) => known === text(metadata, KEY.kind));
  const lookupKey = text(metadata, KEY.lookupKey);
  const priceId = text(metadata, KEY.priceId);
  const credits = amount(metadata, KEY.credits);
  const monthlyCredits = amount(metadata, KEY.monthlyCredits);
  const project = text(metadata, KEY.project);
  return {
    ...(uid !== undefined && { uid }),
    ...(kind !== undefined && { kind }),
    ...(lookupKey !== undefined && { lookupKey }),
    ...(priceId !== undefined && { priceId }),
    ...(credits !== undefined && { credits }),
    ...(monthlyCredits !== undefined && { monthlyCredits }),
    ...(project !== undefined && { project }),
  };
}

function text(metadata: MetadataMap, key: string): string | undefined {
  const value: unknown = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_VALUE_LENGTH
    ? value
    : undefined;
}

function amount(metadata: MetadataMap, key: string): number | undefined {
  const value = text(metadata, key);
  if (value === undefined || !/^\d{1,10}$/.test(value)) return undefined;
  const credits = Number(value);
  return credits <= MAX_CREDITS ? credits : undefined;
}
