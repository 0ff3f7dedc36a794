import type { BillingState } from '@extension-billing/contract/billing-state';
import type { Millis } from '@extension-billing/contract/customer';
import { ANSWER_WITHIN_MS, accessView, snapshotAt } from './access.ts';
import type { EntitlementSnapshot } from './snapshot.ts';

/** What the hooks return, as plain functions of a snapshot, for pages and content scripts without React. */

/** When a view is asked for, and since when its page has been waiting for the server's word; by default it does not. */
export interface Moment {
  readonly now: Millis;
  readonly askedAt?: Millis;
}
const rightNow = (): Moment => ({ now: Date.now() });

export interface EntitlementView {
  readonly entitled: boolean;
  readonly loading: boolean;
}
/**
 * `loading` until the first snapshot, and while a page waits to hear whether access that lapsed without contact goes
 * on; `entitled` is false meanwhile, so ask for `loading` first.
 */
export function entitlementView(
  snapshot: EntitlementSnapshot | null,
  moment: Moment = rightNow(),
): EntitlementView {
  const { entitled } = accessView(snapshot, moment.now);
  return { entitled, loading: isLoading(snapshot, moment) };
}

function isLoading(snapshot: EntitlementSnapshot | null, { now, askedAt = -Infinity }: Moment): boolean {
  if (snapshot === null) return true;
  return accessView(snapshot, now).staleness === 'lapsed' && now - askedAt < ANSWER_WITHIN_MS;
}

export type CreditsView =
  | { readonly balance: number; readonly allowance: number; readonly exhausted: boolean }
  | { readonly balance: null; readonly allowance: null; readonly exhausted: null };
const NOT_IN_USE: CreditsView = { balance: null, allowance: null, exhausted: null };
/** Whole credits. `allowance` is what is left of the monthly part of `balance`. All null: credits are not in use. */
export function creditsView(snapshot: EntitlementSnapshot | null): CreditsView {
  const credits = snapshot?.credits ?? null;
  if (credits === null) return NOT_IN_USE;
  return { balance: credits.balance, allowance: credits.allowance, exhausted: credits.balance === 0 };
}

/** One billing-state key; null while loading, because naming any key then would be a guess. `free` once lapsed. */
export function billingStateView(
  snapshot: EntitlementSnapshot | null,
  moment: Moment = rightNow(),
): BillingState | null {
  return snapshot === null || isLoading(snapshot, moment) ? null : snapshotAt(snapshot, moment.now).state;
}
