import type { BillingState } from '@contract/billing-state.ts';
import type { EntitlementSnapshot } from './snapshot.ts';

/** What the hooks return, as plain functions of a snapshot, for pages and content scripts without React. */

export interface EntitlementView {
  readonly entitled: boolean;
  readonly loading: boolean;
}
/** `loading` until the first snapshot; `entitled` is false meanwhile, so ask for `loading` first. */
export function entitlementView(snapshot: EntitlementSnapshot | null): EntitlementView {
  return { entitled: snapshot?.paid ?? false, loading: snapshot === null };
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

/** One billing-state key; null while loading, because naming any key then would be a guess. */
export function billingStateView(snapshot: EntitlementSnapshot | null): BillingState | null {
  return snapshot?.state ?? null;
}
