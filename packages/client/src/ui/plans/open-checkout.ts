import { type LookupKey, offerOf, pricing } from '@extension-billing/contract/pricing';
import { parseSnapshot } from '../../snapshot/parse.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

/** Key in `chrome.storage.session`: opening the tab closes a popup, and the next popup still knows of the checkout. */
export const OPEN_CHECKOUT_KEY = 'billingOpenCheckout';

/** A checkout that was opened in a tab, with what was known before it. */
export interface OpenCheckout {
  readonly lookupKey: LookupKey;
  readonly openedAt: number;
  readonly before: EntitlementSnapshot;
}

/** After this a checkout that nobody finished is forgotten. */
const FORGET_AFTER_MS = 30 * 60_000;

export type CheckoutProgress =
  | { readonly kind: 'open' }
  /** The same checkout against a later state: a spend meanwhile must not hide a top-up that follows. */
  | { readonly kind: 'still_open'; readonly checkout: OpenCheckout }
  | { readonly kind: 'arrived' }
  | { readonly kind: 'forgotten' };

/** What has become of an open checkout, by the snapshot that is known now. */
export function deriveCheckoutProgress(
  checkout: OpenCheckout,
  snapshot: EntitlementSnapshot,
  now: number,
): CheckoutProgress {
  if (checkout.before.uid !== snapshot.uid) return { kind: 'forgotten' };
  if (isHere(checkout, snapshot)) return { kind: 'arrived' };
  if (now - checkout.openedAt > FORGET_AFTER_MS) return { kind: 'forgotten' };
  const spent = packCreditsOf(snapshot) < packCreditsOf(checkout.before);
  return spent ? { kind: 'still_open', checkout: { ...checkout, before: snapshot } } : { kind: 'open' };
}

/** A pack brings pack credits; a plan becomes the current one. What else changes meanwhile is not this purchase. */
function isHere({ lookupKey, before }: OpenCheckout, snapshot: EntitlementSnapshot): boolean {
  if (offerOf(pricing, lookupKey)?.kind === 'pack') return packCreditsOf(snapshot) > packCreditsOf(before);
  const has = ({ plan, paid }: EntitlementSnapshot): boolean => paid && plan === lookupKey;
  return has(snapshot) && !has(before);
}

function packCreditsOf({ credits }: EntitlementSnapshot): number {
  return credits?.packCredits ?? 0;
}

/** A stored value as an open checkout, or null where it is none. */
export function parseOpenCheckout(value: unknown): OpenCheckout | null {
  if (typeof value !== 'object' || value === null) return null;
  const { lookupKey, openedAt, before } = value as Partial<Record<keyof OpenCheckout, unknown>>;
  const snapshot = parseSnapshot(before);
  if (typeof lookupKey !== 'string' || typeof openedAt !== 'number' || snapshot === null) return null;
  return { lookupKey: lookupKey as LookupKey, openedAt, before: snapshot };
}
