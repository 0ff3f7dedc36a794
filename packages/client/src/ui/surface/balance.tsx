import type { PlanOffer } from '@extension-billing/contract/catalog';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { plansNeeded } from '../features/plans-needed.ts';
import { inertWhen } from '../inert.ts';
import { BalanceMeter } from '../meter/balance-meter.tsx';
import { isFreeCeiling } from '../wall/free-ceiling.ts';
import { usePlanWall, useWall } from '../wall/wall-state.tsx';

import '../meter/meter-in-use.css';

// Of the walls, which come later: a part that is loaded by itself has no style sheet of its own.
import '../plans/offers.css';
import '../wall/wall.css';

/** Few ever see them, so that no popup loads them at its start. */
const walls = () => import('../wall/walls.tsx');
const TopUpWall = lazy(async () => ({ default: (await walls()).TopUpWall }));
const FreeCeilingWall = lazy(async () => ({ default: (await walls()).FreeCeilingWall }));
const PlanWall = lazy(async () => ({ default: (await walls()).PlanWall }));

interface BalanceProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  readonly onTopUp: () => void;
  /** What the features are called, by their names in the catalogue: the wall says what each takes. */
  readonly featureNames?: Readonly<Record<string, string>> | undefined;
  /** The meter stands somewhere else. */
  readonly wallsOnly?: boolean;
  /** What stands below; it waits behind a wall where `blocks` is true. */
  readonly children?: ReactNode;
  /** True in a narrow surface, where a wall takes the place of everything below it. */
  readonly blocks?: boolean;
}

/**
 * The meter, always in view, and the walls that rise under it: packs when it is empty, plans at a paywall, and either
 * when the project has given out its free credits of the day.
 */
export function Balance(props: BalanceProps): ReactNode {
  const { snapshot, now, onTopUp, featureNames, wallsOnly, children, blocks = false } = props;
  const topUp = useWall(snapshot);
  const plan = usePlanWall();
  const { show } = plan;
  useEffect(() => show(), [show]);
  const plans = plan.isRaised ? plansAsked(plan.feature, snapshot) : [];
  const asksForPlan = plans.length > 0;
  const met = plan.freeCeiling;
  const asksForOwn = met !== null && isFreeCeiling(met, snapshot, now);
  const asksForPacks = topUp.phase === 'raised' && !asksForPlan && !asksForOwn;
  const asks = asksForPlan || asksForPacks || asksForOwn;
  const [isUp, setIsUp] = useState(false);
  const onUp = useCallback(() => setIsUp(true), []);
  if (isUp && !asks) setIsUp(false);
  const wall = { snapshot, now, onUp, ...(featureNames && { featureNames }) };
  return (
    <>
      {!wallsOnly && (
        <BalanceMeter
          snapshot={snapshot}
          now={now}
          onTopUp={onTopUp}
          isWallRaised={asksForPacks || asksForOwn}
        />
      )}
      <Suspense fallback={<span data-pending hidden />}>
        {asksForPlan && (
          <PlanWall
            snapshot={snapshot}
            now={now}
            plans={plans}
            onDismiss={plan.dismiss}
            takesFocus
            onUp={onUp}
          />
        )}
        {asksForOwn && <FreeCeilingWall {...wall} until={met.until} onDismiss={plan.dismiss} takesFocus />}
        {/* A wall that was there when the page opened takes no focus. */}
        {asksForPacks && (
          <TopUpWall
            {...wall}
            refused={topUp.refused}
            onDismiss={topUp.dismiss}
            takesFocus={topUp.hasRisen}
          />
        )}
      </Suspense>
      <div className="billing-below" {...inertWhen(blocks && isUp && asks)}>
        {children}
      </div>
    </>
  );
}

/** The plans that the wall offers; none once the user has one of them. */
function plansAsked(feature: string | null, snapshot: EntitlementSnapshot): readonly PlanOffer[] {
  if (feature !== null) return plansNeeded(feature, snapshot, givenCatalog) ?? [];
  return snapshot.paid ? [] : givenCatalog.plans;
}
