import { pricing } from '@extension-billing/contract/pricing';
import { isRunning } from '@extension-billing/contract/subscription-status';
import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { PlanList } from '../plans/plan-list.tsx';
import { describeStatus } from '../status/describe-status.ts';
import { usePortal } from '../status/use-portal.ts';
import { t } from '../text/t.ts';
import { WallSheet, type WallSheetControl } from './wall-sheet.tsx';

interface PlanWallProps extends WallSheetControl {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
}

/**
 * The sheet at a paywall: the plans that open it, and a way out. Whose own plan gives no access at the moment can buy no
 * other beside it: they are told why, and shown the way to billing.
 */
export function PlanWall({ snapshot, now, ...control }: PlanWallProps): ReactNode {
  const portal = usePortal();
  if (isRunning(snapshot.status)) {
    const { title, lines, portalAction } = describeStatus(snapshot, now, pricing);
    return (
      <WallSheet {...control} title={title} words={lines.join(' ')} tone="warning" testId="plan-wall">
        {snapshot.hasCustomer && (
          <Button look="primary" wide busy={portal.opening} onClick={portal.open}>
            {portalAction ?? t('statusPortal')}
          </Button>
        )}
      </WallSheet>
    );
  }
  return (
    <WallSheet {...control} title={t('planWallTitle')} words={t('planWallWords')} testId="plan-wall">
      <PlanList snapshot={snapshot} />
    </WallSheet>
  );
}
