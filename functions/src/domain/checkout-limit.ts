import type { Millis } from '@extension-billing/contract/customer';

/** Checkouts that a user may open in a minute, on all instances together: a person never needs as many. */
const MAX_PER_MINUTE = 10;
const MINUTE: Millis = 60_000;

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

export type Admission =
  /** `crowded`: as many pages of packs are open as may be, so the oldest has to be closed first. */
  | { readonly kind: 'admitted'; readonly recent: RecentCheckouts; readonly crowded: boolean }
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
  const crowded = isPack && open.length >= MAX_OPEN_PACKS;
  const packs = isPack ? [...open.slice(1 - MAX_OPEN_PACKS), now] : open;
  return { kind: 'admitted', recent: { attempts: [...attempts, now], packs }, crowded };
}
