import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';

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
