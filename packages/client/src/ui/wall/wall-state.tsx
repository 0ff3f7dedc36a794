import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { useStoredValue } from '../../hooks.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { type FreeCeilingMet, nextUtcDay } from './free-ceiling.ts';
import {
  dismissalHasEnded,
  parseDismissal,
  usesTopUpWall,
  WALL_KEY,
  type WallPhase,
  wallPhase,
} from './wall.ts';

/** The top-up wall: whether it stands, and how somebody puts it away. */
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

/** The wall in front of what needs a plan. */
export interface PlanWallControl {
  /** Somebody without a plan asked for something behind the paywall. It falls with a plan. */
  readonly isRaised: boolean;
  /** @returns whether there is a wall on the page to say it */
  readonly raise: () => boolean;
  /** Somebody asked for something when the project had given out its free credits of the day; null: nobody did. */
  readonly freeCeiling: FreeCeilingMet | null;
  /**
   * @param before what the user had who asked
   * @returns whether there is a wall on the page to say it
   */
  readonly raiseFreeCeiling: (before: EntitlementSnapshot) => boolean;
  /** Called by what shows the walls, as long as it does. Returns the function that ends it. */
  readonly show: () => () => void;
  /** Puts away whichever is up. */
  readonly dismiss: () => void;
}

type Raised = 'plan' | FreeCeilingMet | null;

const PlanWallContext = createContext<PlanWallControl>({
  isRaised: false,
  raise: () => false,
  freeCeiling: null,
  raiseFreeCeiling: () => false,
  show: () => () => {},
  dismiss: () => {},
});

/** Lets every feature of a page raise the page's one wall with something to buy. */
export function PlanWallProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [raised, setRaised] = useState<Raised>(null);
  const shown = useRef(0);
  const control = useMemo(
    () => ({
      isRaised: raised === 'plan',
      raise: () => {
        setRaised('plan');
        return shown.current > 0;
      },
      freeCeiling: raised === 'plan' ? null : raised,
      raiseFreeCeiling: (before: EntitlementSnapshot) => {
        setRaised({ before, until: nextUtcDay(Date.now()) });
        return shown.current > 0;
      },
      show: () => {
        shown.current += 1;
        return () => {
          shown.current -= 1;
        };
      },
      dismiss: () => setRaised(null),
    }),
    [raised],
  );
  return <PlanWallContext.Provider value={control}>{children}</PlanWallContext.Provider>;
}

/** The wall of the `PlanWallProvider` around. */
export function usePlanWall(): PlanWallControl {
  return useContext(PlanWallContext);
}
