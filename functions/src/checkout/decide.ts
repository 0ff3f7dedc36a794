import type { LookupKey, Offer, PackOffer, PlanOffer } from '@extension-billing/contract/catalog';
import { type Millis, planKindOf } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { isRunning } from '@extension-billing/contract/subscription-status';
import { MINUTE } from '@extension-billing/contract/time';

/** What of a customer's record decides whether something may be bought. */
export type BuyerRecord = Pick<
  CustomerRecord,
  'paid' | 'plan' | 'planKind' | 'status' | 'trialUsed' | 'runningSubscription'
>;

/** What a user asks to buy. */
export interface Order<Kind extends Offer = Offer> {
  readonly offer: Kind;
  /** The currency that the page showed; null where it said none. */
  readonly currency: string | null;
  /** The extension that asked; null for another caller. */
  readonly extension: string | null;
}

type CheckoutDecision =
  | { readonly kind: 'refused'; readonly code: 'already_subscribed' | 'already_owned' }
  /** `trialDays` is 0 where the purchase starts without a trial. */
  | { readonly kind: 'allowed'; readonly trialDays: number };

/**
 * Whether a user may buy an offer, and with how many trial days (design, section 5, "Checkout"):
 * packs always; beside a lifetime plan only what entitles to more; no second subscription beside a running one, but a
 * lifetime plan may follow it. The trial goes once to each user, also where only the provider knows of it yet (`open`).
 *
 * @param owned what the lifetime plans of the user entitle to beside `paid`
 */
export function decideCheckout(
  offer: PlanOffer | PackOffer,
  record: BuyerRecord | null,
  trialDays: number,
  open: Pick<OpenCheckout, 'trialUsed'> | null = null,
  owned: readonly string[] = [],
): CheckoutDecision {
  if (offer.kind === 'pack') return { kind: 'allowed', trialDays: 0 };
  const isOwner = record !== null && ownsLifetime(record);
  if (isOwner && !addsTo(owned, offer)) return { kind: 'refused', code: 'already_owned' };
  if (offer.kind === 'lifetime') return { kind: 'allowed', trialDays: 0 };
  // Beside a lifetime plan the record's own status is that one's.
  const status = isOwner ? record.runningSubscription?.status : record?.status;
  if (isRunning(status ?? null)) return { kind: 'refused', code: 'already_subscribed' };
  const hasTrial = offer.trial && record?.trialUsed !== true && open?.trialUsed !== true;
  return { kind: 'allowed', trialDays: hasTrial ? trialDays : 0 };
}

/** Whether a plan entitles to anything that is not among these. */
export function addsTo(owned: readonly string[], { grants }: PlanOffer): boolean {
  return grants.some((name) => !owned.includes(name));
}

function ownsLifetime(record: BuyerRecord): boolean {
  return record.paid && planKindOf(record) === 'lifetime';
}

/**
 * The one checkout of a plan that may be open for a user at the provider. It is claimed before the session
 * is made, so that of several requests at once one makes it, and only one session ever carries the trial.
 */
export interface OpenCheckout {
  /** Names the request that claimed it. */
  readonly attempt: string;
  readonly lookupKey: LookupKey;
  /** The currency that was wished for; absent where none was. */
  readonly currency?: string;
  readonly trial: boolean;
  readonly claimedAt: Millis;
  /** Null while the provider is being asked for it. */
  readonly session: { readonly id: string; readonly url: string; readonly expiresAt: Millis } | null;
  /** The session before it, while nobody has yet seen that it is closed and was not paid. */
  readonly before?: string;
  /** The provider said that an earlier checkout began a trial, whose events may not have come. */
  readonly trialUsed?: boolean;
}

/** A claim older than this belongs to a request that died: no call to the provider takes that long. */
export const CLAIM_LASTS: Millis = 45_000;

export type ClaimDecision =
  /** Nothing is open. */
  | { readonly kind: 'claim' }
  /** A request is asking the provider right now. */
  | { readonly kind: 'wait' }
  /** A request that was waited for made exactly this session: share it. */
  | { readonly kind: 'share'; readonly sessionId: string; readonly url: string }
  /** Claim, and close this earlier session before making another; one that has run out may have been paid before. */
  | { readonly kind: 'replace'; readonly sessionId: string }
  /**
   * Claim; the request before died, perhaps after its session was made: close whatever is open, and what it was about
   * to close.
   */
  | { readonly kind: 'sweep'; readonly sessionId: string | null };

/** What a request for a plan's checkout does about the one that is known. */
export function decideClaim(
  open: OpenCheckout | null,
  wanted: Pick<OpenCheckout, 'lookupKey' | 'currency' | 'trial'> & { readonly waitedFor: string | null },
  now: Millis,
): ClaimDecision {
  if (open === null) return { kind: 'claim' };
  const { session } = open;
  if (session === null) {
    if (now - open.claimedAt < CLAIM_LASTS) return { kind: 'wait' };
    return { kind: 'sweep', sessionId: open.before ?? null };
  }
  const isSame =
    open.lookupKey === wanted.lookupKey && open.currency === wanted.currency && open.trial === wanted.trial;
  if (isSame && open.attempt === wanted.waitedFor && session.expiresAt > now) {
    return { kind: 'share', sessionId: session.id, url: session.url };
  }
  return { kind: 'replace', sessionId: session.id };
}

/** Checkouts that a user may open in a minute, on all instances together: a person never needs as many. */
const MAX_PER_MINUTE = 10;

/** Pages of packs that may be open for a user at the provider; the oldest is closed for another one. */
export const MAX_OPEN_PACKS = 10;

/** How long the provider keeps a page open that nobody pays. */
const PAGE_LASTS: Millis = 24 * 60 * MINUTE;

/** When a user's checkouts were opened, oldest first: all of the last minute, and the pages of packs of the last day. */
export interface RecentCheckouts {
  readonly attempts: readonly Millis[];
  readonly packs: readonly Millis[];
}

export const NO_CHECKOUTS: RecentCheckouts = { attempts: [], packs: [] };

type Admission =
  /** `closesOldest`: as many pages of packs are open as may be, so the oldest has to be closed first. */
  | { readonly kind: 'admitted'; readonly recent: RecentCheckouts; readonly closesOldest: boolean }
  | { readonly kind: 'refused'; readonly until: Millis };

/**
 * Whether a user may open another checkout now, and what is to be remembered of it. It bounds what one user can use up
 * of the provider's rate limit, which all users share.
 */
export function admitCheckout(recent: RecentCheckouts, kind: 'pack' | 'plan', now: Millis): Admission {
  // Clocks of instances differ by seconds: what lies further ahead is no attempt of theirs.
  const attempts = recent.attempts.filter((at) => Math.abs(now - at) < MINUTE);
  const [oldest] = attempts;
  if (oldest !== undefined && attempts.length >= MAX_PER_MINUTE) {
    return { kind: 'refused', until: oldest + MINUTE };
  }
  const open = recent.packs.filter((at) => at > now - PAGE_LASTS);
  const isPack = kind === 'pack';
  const closesOldest = isPack && open.length >= MAX_OPEN_PACKS;
  const packs = isPack ? [...open.slice(1 - MAX_OPEN_PACKS), now] : open;
  return { kind: 'admitted', recent: { attempts: [...attempts, now], packs }, closesOldest };
}
