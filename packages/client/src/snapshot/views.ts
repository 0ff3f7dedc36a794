import type { App } from '@extension-billing/contract/catalog';
import { type Millis, PAID } from '@extension-billing/contract/customer';
import type { Entitlement } from '../register.ts';
import { ANSWER_WITHIN_MS, accessView, isHeld, isLoading, type Moment, rightNow } from './access.ts';
import type { EntitlementSnapshot } from './snapshot.ts';

/** What the hooks return, as plain functions of a snapshot, for pages and content scripts without React. */

/** Whether an entitlement is there, or that it is not known yet. */
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
  entitlement: Entitlement = PAID,
): EntitlementView {
  const entitled = isEntitledTo(snapshot, entitlement, moment.now);
  return {
    entitled,
    loading: isLoading(snapshot, moment) || (!entitled && mayGoOn(snapshot, entitlement, moment)),
  };
}

/** Whether an entitlement beside a lifetime plan has lapsed, and the server may still say that it goes on. */
function mayGoOn(
  snapshot: EntitlementSnapshot | null,
  entitlement: string,
  { now, askedAt = -Infinity }: Moment,
): boolean {
  return snapshot?.entitlements.includes(entitlement) === true && now - askedAt < ANSWER_WITHIN_MS;
}

/** Whether a snapshot gives access to what an entitlement names at `now`; `paid` is any plan. */
export function isEntitledTo(
  snapshot: EntitlementSnapshot | null,
  entitlement: string,
  now: Millis,
): boolean {
  if (snapshot === null || !accessView(snapshot, now).entitled) return false;
  if (entitlement === PAID) return true;
  return snapshot.entitlements.includes(entitlement) && isHeld(snapshot, entitlement, now);
}

/**
 * Whether an entitlement says something in this extension (docs/decisions/catalogue.md): of several, each reads
 * its own, and `paid` counts where it sells the plan or reads something of what the user has.
 */
export function countsIn(
  app: App | null,
  entitlement: string,
  snapshot: Pick<EntitlementSnapshot, 'plan' | 'entitlements'> | null,
): boolean {
  if (app === null) return true;
  if (entitlement !== PAID) return app.entitlements.includes(entitlement);
  if (snapshot === null) return false;
  const { plan, entitlements } = snapshot;
  return (
    (plan !== null && app.sells.includes(plan)) ||
    entitlements.some((name) => app.entitlements.includes(name))
  );
}

/** The credits to show, or that they are not known yet. */
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
