import { pricing } from '@extension-billing/contract/pricing';
import { useCallback, useEffect } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { useStoredValue } from '../use-stored-value.ts';
import { WALL_KEY } from './wall-key.ts';
import { dismissalHasEnded, parseDismissal, usesTopUpWall, type WallPhase, wallPhase } from './wall-phase.ts';

export interface Wall {
  readonly phase: WallPhase;
  readonly dismiss: () => void;
}

/** The top-up wall of a snapshot, the same in every open page. Down until it is known whether it was dismissed. */
export function useWall(snapshot: EntitlementSnapshot | null): Wall {
  const { value: dismissal, store } = useStoredValue('local', WALL_KEY, parseDismissal);
  const uid = snapshot?.uid ?? null;

  useEffect(() => {
    if (dismissal && dismissalHasEnded(dismissal, snapshot)) store(null);
  }, [dismissal, snapshot, store]);

  const dismiss = useCallback(() => {
    if (uid !== null) store({ uid });
  }, [uid, store]);

  const isDown = dismissal === undefined || !usesTopUpWall(pricing);
  return { phase: isDown ? 'down' : wallPhase(snapshot, dismissal), dismiss };
}
