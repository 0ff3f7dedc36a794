import { BILLING_STATES } from '@extension-billing/contract/billing-states';
import type {
  BillingState,
  Millis,
  PlannedChange,
  Renewal,
  RunningSubscription,
} from '@extension-billing/contract/customer';
import type { Pool } from '@extension-billing/contract/schedule';
import { creditsIn } from '@extension-billing/contract/whole-credits';
import type { OfferPrice } from '../messages.ts';

/** Key in `chrome.storage.local`; written only by the background worker (specification, "Client entitlement snapshot"). */
export const SNAPSHOT_KEY = 'entitlements';

/** Key of what the service has published to be sold; written only by the background worker. */
export const CATALOG_KEY = 'billingCatalog';

/** A pool of the record. `held`: what reservations hold of a free one, which is not in the balance. */
export type SnapshotPool = Pool & { readonly held?: number };

/** The credits of a snapshot, in whole credits. */
export interface SnapshotCredits {
  readonly balance: number;
  readonly allowance: number;
  readonly packCredits: number;
  /** Size of the current allowance when it was granted; 0 without one. */
  readonly monthlyCredits: number;
  /** What reservations hold beside `balance`; absent if that is nothing. */
  readonly held?: number;
  /** What of it the clock changes, as it was last written (clock.ts); absent where that is nothing. */
  readonly pools?: readonly SnapshotPool[];
  /** Nothing of it is recorded yet: free credits that the account will have when it first spends some. */
  readonly expected?: true;
  /** The balances are of this instant, and not as they were last written. */
  readonly asOf?: number;
  /** Only in what a page's store shows: when the clock next brings credits; null: not by itself. */
  readonly nextAt?: number | null;
  /** Only in what a page's store shows: credits of a whole period, of all allowances by the clock. */
  readonly periodCredits?: number;
}

/**
 * The local copy of one user's record. Nothing secret is in it: content scripts can read storage.local.
 * `null` in storage means that nothing is known yet, which a UI shows as loading, never as "free".
 */
export interface EntitlementSnapshot {
  /** The user whose record this is; null when signed out. */
  readonly uid: string | null;
  readonly paid: boolean;
  readonly state: BillingState;
  readonly plan: string | null;
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Milliseconds since the epoch, as all times here. */
  readonly currentPeriodEnd: number | null;
  readonly trialUsed: boolean;
  readonly hasCustomer: boolean;
  /** null: credits are not in use on this account. */
  readonly credits: SnapshotCredits | null;
  /** How long the server lets `paid` be believed, grace included; null: it has set no bound. */
  readonly entitledUntil: number | null;
  /** What is billed at `currentPeriodEnd`, before tax; null: nothing, or it is not known what. */
  readonly renewal: Renewal | null;
  /** What the plan changes to, and when; null: it goes on as it is. */
  readonly plannedChange: PlannedChange | null;
  /** What the plans entitle to beside `paid`: sorted, with all that each includes. */
  readonly entitlements: readonly string[];
  /** As `entitledUntil`, for each of them that a bound ends; the others hold as long as `paid`. */
  readonly entitlementsUntil: Readonly<Record<string, number>>;
  /** What of an earlier plan still runs beside a lifetime plan; null: nothing. */
  readonly runningSubscription: RunningSubscription | null;
  /** The record's `updatedAt`; 0 when the user has no record yet. */
  readonly updatedAt: number;
  /** When the worker wrote this copy. */
  readonly mirroredAt: number;
  /** When the server last confirmed the whole record, by this device's clock: see access.ts for what follows. */
  readonly contactAt: number;
  /** Only in what `snapshotAt` gives, never stored: when access ended without a word of the server that it goes on. */
  readonly lapsedAt?: number;
}

/** Key in `chrome.storage.session` under which the worker tells its pages that who is signed in has changed. */
export const SESSION_NEWS_KEY = 'billingSession';

/**
 * Key in `chrome.storage.session` under which the worker tells its pages what offers cost the user who is signed in
 * (`KeptPrices`); nothing is there once they have signed out. The incognito half of a split extension has its own.
 */
export const PRICES_KEY = 'billingPrices';

export interface KeptPrices {
  readonly uid: string;
  /** The one that was asked for; null for none. */
  readonly currency: string | null;
  /** When the service was asked. */
  readonly at: number;
  readonly prices: readonly OfferPrice[];
}

/** The parts of `chrome` by which a context knows its half of a split extension. */
interface BrowserContext {
  readonly extension?: { readonly inIncognitoContext?: boolean | undefined };
  readonly runtime?: { getManifest(): { readonly incognito?: string | undefined } };
}

/** Where a context's snapshot is: `key` in `chrome.storage[areaName]`. */
export interface SnapshotPlace {
  readonly areaName: 'local' | 'session';
  readonly key: string;
}

export const SHARED_PLACE: SnapshotPlace = { areaName: 'local', key: SNAPSHOT_KEY };

/**
 * Where this context's snapshot is. An extension that says `incognito: "split"` has two workers with an account each,
 * and `chrome.storage.local` is one for both: the incognito one keeps its own place.
 */
export function snapshotPlace(browser: BrowserContext): SnapshotPlace {
  // In memory only: incognito leaves nothing on the disk. Content scripts cannot read this area.
  return isIncognitoWorld(browser)
    ? { areaName: 'session', key: keyHere(SNAPSHOT_KEY, browser) }
    : SHARED_PLACE;
}

/** Where this context's copy of the published catalogue is: beside the snapshot, under a key of its own. */
export function catalogPlace(browser: BrowserContext): SnapshotPlace {
  const { areaName } = snapshotPlace(browser);
  return { areaName, key: keyHere(CATALOG_KEY, browser) };
}

/** What a key of `chrome.storage.session` is called in this half of a split extension. */
export function keyHere(key: string, browser: BrowserContext): string {
  return isIncognitoWorld(browser) ? `${key}Incognito` : key;
}

/** Whether this context belongs to the incognito half of a split extension; never where one worker serves both. */
export function isIncognitoWorld({ extension, runtime }: BrowserContext): boolean {
  if (extension?.inIncognitoContext !== true) return false;
  return runtime?.getManifest().incognito === 'split';
}

/** Of the snapshot in the spare place and the one in its own, the one that was written last. */
export function newerOf(
  spared: EntitlementSnapshot | null,
  own: EntitlementSnapshot | null,
): EntitlementSnapshot | null {
  if (spared === null || own === null) return spared ?? own;
  return own.mirroredAt > spared.mirroredAt ? own : spared;
}

const INTERVALS = ['day', 'week', 'month', 'year'] as const;

type Stored<T> = Readonly<Partial<Record<keyof T, unknown>>>;

/**
 * A stored value as a snapshot, or null where it is none: another version of the extension may have written it, and the
 * next write of the worker replaces it. What decides about access must be there as it should be; what an earlier version
 * did not write yet counts as not known. The fields come in one order, so that equal snapshots are equal as text.
 */
export function parseSnapshot(value: unknown): EntitlementSnapshot | null {
  if (typeof value !== 'object' || value === null) return null;
  const stored: Stored<EntitlementSnapshot> = value;
  const { uid, paid, state, updatedAt } = stored;
  const credits = parseCredits(stored.credits);
  const mirroredAt = isTime(stored.mirroredAt) ? stored.mirroredAt : 0;
  if (uid !== null && typeof uid !== 'string') return null;
  if (typeof paid !== 'boolean' || !isState(state) || !Number.isFinite(updatedAt) || credits === undefined)
    return null;
  return {
    uid,
    paid,
    state,
    plan: textOrNull(stored.plan),
    status: textOrNull(stored.status),
    cancelAtPeriodEnd: stored.cancelAtPeriodEnd === true,
    currentPeriodEnd: isTime(stored.currentPeriodEnd) ? stored.currentPeriodEnd : null,
    trialUsed: stored.trialUsed === true,
    hasCustomer: stored.hasCustomer === true,
    credits,
    entitledUntil: isTime(stored.entitledUntil) ? stored.entitledUntil : null,
    renewal: parseRenewal(stored.renewal),
    plannedChange: parsePlanned(stored.plannedChange),
    entitlements: parseNames(stored.entitlements),
    entitlementsUntil: parseTimes(stored.entitlementsUntil),
    runningSubscription: parseRunning(stored.runningSubscription),
    // Of a time that no record can have, everything that the server says is newer.
    updatedAt: isTime(updatedAt) ? updatedAt : 0,
    mirroredAt,
    contactAt: isTime(stored.contactAt) ? stored.contactAt : mirroredAt,
  };
}

function parseRenewal(value: unknown): Renewal | null {
  if (typeof value !== 'object' || value === null) return null;
  const { amount, currency, interval, count }: Stored<Renewal> = value;
  const known = INTERVALS.find((each) => each === interval);
  if (!isTime(amount) || typeof currency !== 'string' || known === undefined) return null;
  // Intl throws for what is no code of a currency.
  if (!/^[a-z]{3}$/.test(currency)) return null;
  return { amount, currency, interval: known, ...(isTime(count) && count > 1 && { count }) };
}

function parsePlanned(value: unknown): PlannedChange | null {
  if (typeof value !== 'object' || value === null) return null;
  const { plan, at }: Stored<PlannedChange> = value;
  return isTime(at) ? { plan: textOrNull(plan), at } : null;
}

function parseNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string').sort() : [];
}

/** By name in one order. An end that is none has come: what is damaged gives no access. */
function parseTimes(value: unknown): Readonly<Record<string, number>> {
  if (typeof value !== 'object' || value === null) return {};
  const entries = Object.entries(value).map(([name, time]): [string, number] => [
    name,
    isTime(time) ? time : 0,
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parseRunning(value: unknown): RunningSubscription | null {
  if (typeof value !== 'object' || value === null) return null;
  const { plan, status, currentPeriodEnd, cancelAtPeriodEnd, goesOn }: Stored<RunningSubscription> = value;
  if (typeof status !== 'string') return null;
  return {
    plan: textOrNull(plan),
    status,
    currentPeriodEnd: isTime(currentPeriodEnd) ? currentPeriodEnd : null,
    cancelAtPeriodEnd: cancelAtPeriodEnd === true,
    ...(goesOn === true && { goesOn }),
  };
}

/** null: not in use; undefined: not readable. */
function parseCredits(value: unknown): SnapshotCredits | null | undefined {
  if (value === null) return null;
  if (typeof value !== 'object') return undefined;
  const stored: Stored<SnapshotCredits> = value;
  const { balance, allowance, packCredits, monthlyCredits, pools, asOf, expected } = stored;
  const held = creditsIn(stored.held) ?? 0;
  if (typeof balance !== 'number' || typeof allowance !== 'number') return undefined;
  const whole = { balance: creditsIn(balance) ?? 0, allowance: creditsIn(allowance) ?? 0 };
  return {
    ...whole,
    packCredits: creditsIn(packCredits) ?? Math.max(0, whole.balance - whole.allowance),
    monthlyCredits: creditsIn(monthlyCredits) ?? 0,
    ...(held > 0 && { held }),
    ...(Array.isArray(pools) && { pools }),
    ...(isTime(asOf) && { asOf }),
    ...(expected === true && { expected }),
  };
}

/** Whether credits came between two states of a user: those that a reservation let go were there before. */
export function haveCreditsCome(before: SnapshotCredits | null, after: SnapshotCredits | null): boolean {
  const owned = (credits: SnapshotCredits | null): number => (credits?.balance ?? 0) + (credits?.held ?? 0);
  return owned(after) > owned(before);
}

function isState(value: unknown): value is BillingState {
  return BILLING_STATES.some((state) => state === value);
}

/** The end of the year 9999. Intl throws for a time that no Date can hold, and pages show times some days later too. */
const LATEST: Millis = 253_402_300_799_999;

/** Whether a stored value is a time that pages can show. */
export function isTime(value: unknown): value is Millis {
  return typeof value === 'number' && Math.abs(value) <= LATEST;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
