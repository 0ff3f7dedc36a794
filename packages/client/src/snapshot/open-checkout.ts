import type { LookupKey } from '@extension-billing/contract/catalog';
import { type EntitlementSnapshot, parseSnapshot } from './snapshot.ts';

/**
 * Key in `chrome.storage.session`. The worker writes it before it opens the tab: a popup closes as soon as the tab has
 * the focus, and the next one still knows of the checkout.
 */
export const OPEN_CHECKOUT_KEY = 'billingOpenCheckout';

/** A checkout that was opened in a tab, with what was known before it. */
export interface OpenCheckout {
  readonly lookupKey: LookupKey;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  readonly before: EntitlementSnapshot;
}

/** A stored value as an open checkout, or null if it is none. */
export function parseOpenCheckout(value: unknown): OpenCheckout | null {
  if (typeof value !== 'object' || value === null) return null;
  const { lookupKey, openedAt, before } = value as Partial<Record<keyof OpenCheckout, unknown>>;
  const snapshot = parseSnapshot(before);
  if (typeof lookupKey !== 'string' || typeof openedAt !== 'number' || snapshot === null) return null;
  return { lookupKey: lookupKey as LookupKey, openedAt, before: snapshot };
}
