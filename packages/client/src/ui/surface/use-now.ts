import { useEffect, useState } from 'react';

const TICK_MS = 60_000;

/** Milliseconds since the epoch, moving once a minute: enough for days left and "as of". */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
