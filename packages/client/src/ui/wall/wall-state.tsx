import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { useStoredValue } from '../../hooks.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import {
  dismissalHasEnded,
  parseDismissal,
  usesTopUpWall,
  WALL_KEY,
  type WallPhase,
  wallPhase,
} from './wall.ts';

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

  const isDown = dismissal === undefined || !usesTopUpWall(givenCatalog);
  return { phase: isDown ? 'down' : wallPhase(snapshot, dismissal), dismiss };
}

export interface PlanWallControl {
  /** Somebody without a plan asked for something behind the paywall. It falls with a plan. */
  readonly isRaised: boolean;
  readonly raise: () => void;
  readonly dismiss: () => void;
}

const PlanWallContext = createContext<PlanWallControl>({
  isRaised: false,
  raise: () => {},
  dismiss: () => {},
});

/** Lets every feature of a page raise the page's one plan wall. */
export function PlanWallProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [isRaised, setIsRaised] = useState(false);
  const control = useMemo(
    () => ({ isRaised, raise: () => setIsRaised(true), dismiss: () => setIsRaised(false) }),
    [isRaised],
  );
  return <PlanWallContext value={control}>{children}</PlanWallContext>;
}

export function usePlanWall(): PlanWallControl {
  return useContext(PlanWallContext);
}
