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
import { useSnapshot } from '../../use-snapshot.ts';
import { type FreeCeilingMet, nextUtcDay } from './free-ceiling.ts';
import {
  dismissed,
  followBalance,
  parseStoredWall,
  usesTopUpWall,
  WALL_KEY,
  type WallPhase,
  wallPhase,
} from './wall.ts';

/** The top-up wall: whether it stands, and how to dismiss it. */
export interface Wall {
  readonly phase: WallPhase;
  /** The feature whose refusal raised it; null if the balance ran out. */
  readonly refused: string | null;
  /** It has been down since the page opened, so that the focus may follow it up. */
  readonly hasRisen: boolean;
  readonly dismiss: () => void;
}

/** The top-up wall of a snapshot, the same in every open page. Down until it is known whether it was dismissed. */
export function useWall(snapshot: EntitlementSnapshot | null): Wall {
  const { value: stored, store } = useStoredValue('local', WALL_KEY, parseStoredWall);
  const [wasDown, setWasDown] = useState(false);

  useEffect(() => {
    if (!stored) return;
    const next = followBalance(stored, snapshot);
    if (next !== stored) store(next);
  }, [stored, snapshot, store]);

  const dismiss = useCallback(() => store(dismissed(snapshot)), [snapshot, store]);

  const isDown = stored === undefined || !usesTopUpWall(givenCatalog);
  const phase = isDown ? 'down' : wallPhase(snapshot, stored);
  const isRaised = phase === 'raised';
  if (!wasDown && !isRaised && stored !== undefined && snapshot !== null) setWasDown(true);
  const refused = isRaised ? (stored?.refused?.feature ?? null) : null;
  return { phase, refused, hasRisen: wasDown && isRaised, dismiss };
}

/** The wall in front of what needs a plan. */
export interface PlanWallControl {
  /** The user asked for something that their plans do not have. It falls with a plan that does. */
  readonly isRaised: boolean;
  /** The feature that was asked for; null if none was named, so that any plan will do. */
  readonly feature: string | null;
  /**
   * @param feature what was asked for: the wall offers the plans that have it
   * @returns whether there is a wall on the page to say it
   */
  readonly raise: (feature?: string) => boolean;
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

type Raised =
  | { readonly kind: 'plan'; readonly feature: string | null }
  | { readonly kind: 'free_ceiling'; readonly met: FreeCeilingMet }
  | null;

const PlanWallContext = createContext<PlanWallControl>({
  isRaised: false,
  feature: null,
  raise: () => false,
  freeCeiling: null,
  raiseFreeCeiling: () => false,
  show: () => () => {},
  dismiss: () => {},
});

/** Lets every feature of a page raise the page's one wall with something to buy. */
export function PlanWallProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [raised, setRaised] = useState<Raised>(null);
  // What one user asked for raises no wall for the next.
  const uid = useSnapshot()?.uid ?? null;
  const [asking, setAsking] = useState(uid);
  if (uid !== asking) {
    setAsking(uid);
    if (asking !== null) setRaised(null);
  }
  const shown = useRef(0);
  const control = useMemo(
    () => ({
      isRaised: raised?.kind === 'plan',
      feature: raised?.kind === 'plan' ? raised.feature : null,
      raise: (feature?: string) => {
        setRaised({ kind: 'plan', feature: feature ?? null });
        return shown.current > 0;
      },
      freeCeiling: raised?.kind === 'free_ceiling' ? raised.met : null,
      raiseFreeCeiling: (before: EntitlementSnapshot) => {
        setRaised({ kind: 'free_ceiling', met: { before, until: nextUtcDay(Date.now()) } });
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
