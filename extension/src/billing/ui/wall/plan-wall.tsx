import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { PlanList } from '../plans/plan-list.tsx';
import { t } from '../text/t.ts';
import { WallSheet, type WallSheetControl } from './wall-sheet.tsx';

interface PlanWallProps extends WallSheetControl {
  readonly snapshot: EntitlementSnapshot;
}

/** The sheet at a paywall: the plans that open it, and a way out. */
export function PlanWall({ snapshot, ...control }: PlanWallProps): ReactNode {
  return (
    <WallSheet {...control} title={t('planWallTitle')} words={t('planWallWords')} testId="plan-wall">
      <PlanList snapshot={snapshot} />
    </WallSheet>
  );
}
