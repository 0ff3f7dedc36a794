import { useEffect } from 'react';
import { keepBillingAlive } from '../keep-alive.ts';
import type { SessionReply } from '../messages.ts';

/**
 * Call once at the root of every page that shows billing. Opening a popup alone does not wake the worker.
 * `onSession` hears who is signed in; give it a stable function (a state setter is one).
 */
export function useBillingKeepAlive(onSession?: (session: SessionReply) => void): void {
  useEffect(() => keepBillingAlive(onSession), [onSession]);
}
