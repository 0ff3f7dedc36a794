import type { Millis } from '@extension-billing/contract/customer';
import type { Moment } from './access.ts';

/** How often an open page looks at the clock. */
export const TICK_MS = 60_000;
/** Longer than a throttled timer takes: the page was hidden, or the computer asleep. */
const AWAY_MS: Millis = 3 * TICK_MS;

interface Page {
  readonly now: () => Millis;
  readonly isVisible: () => boolean;
  readonly isOnline: () => boolean;
}

/**
 * Returns the time, and since when the page waits for the server: since it first asked, and again since it came back
 * after the computer slept or the page was hidden. Offline it doesn't wait.
 */
export function createMoments({ now, isVisible, isOnline }: Page): () => Required<Moment> {
  let watchedAt: Millis = -Infinity;
  let askedAt: Millis = -Infinity;
  return () => {
    const at = now();
    if (at - watchedAt > AWAY_MS) askedAt = at;
    // Hidden pages don't ask: see keep-alive.ts.
    if (isVisible()) watchedAt = at;
    return { now: at, askedAt: isOnline() ? askedAt : -Infinity };
  };
}

/** The moment of this page; on a server, of a page that has just asked. */
export const pageMoment = createMoments({
  now: () => Date.now(),
  isVisible: () => globalThis.document?.visibilityState !== 'hidden',
  isOnline: () => globalThis.navigator?.onLine !== false,
});
