import { useEffect, useState } from 'react';
import { ANSWER_WITHIN_MS } from '../snapshot/access.ts';
import type { Moment } from '../snapshot/views.ts';

const TICK_MS = 60_000;

/** The time, moving once a minute, and since when this page waits for the server: not at all without a network. */
export function useMoment(): Required<Moment> {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = (): void => setNow(Date.now());
    const timers = [setInterval(tick, TICK_MS), setTimeout(tick, ANSWER_WITHIN_MS)];
    addEventListener('offline', tick);
    return () => {
      for (const timer of timers) clearTimeout(timer);
      removeEventListener('offline', tick);
    };
  }, []);
  return { now, askedAt: navigator.onLine ? performance.timeOrigin : -Infinity };
}
