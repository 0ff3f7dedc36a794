import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { BalanceMeter } from '../meter/balance-meter.tsx';
import { TopUpWall } from '../wall/topup-wall.tsx';
import { useWall } from '../wall/use-wall.ts';

interface BalanceProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  readonly onTopUp: () => void;
  /** What stands below; it waits behind the wall where `blocks` is true. */
  readonly children?: ReactNode;
  /** True in a narrow surface, where the wall takes the place of everything below it. */
  readonly blocks?: boolean;
}

/** The meter, always in view, and the wall that rises under it when it is empty. */
export function Balance({ snapshot, now, onTopUp, children, blocks = false }: BalanceProps): ReactNode {
  const wall = useWall(snapshot);
  const isRaised = wall.phase === 'raised';
  return (
    <>
      <BalanceMeter snapshot={snapshot} now={now} onTopUp={onTopUp} isWallRaised={isRaised} />
      {isRaised && <TopUpWall snapshot={snapshot} now={now} onDismiss={wall.dismiss} />}
      <div className="billing-below" inert={blocks && isRaised}>
        {children}
      </div>
    </>
  );
}
