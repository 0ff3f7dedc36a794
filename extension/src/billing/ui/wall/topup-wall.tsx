import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format/format-date.ts';
import { PackList } from '../plans/pack-list.tsx';
import { t } from '../text/t.ts';
import { WallSheet, type WallSheetControl } from './wall-sheet.tsx';

interface TopUpWallProps extends WallSheetControl {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
}

/** The sheet under an empty meter: packs to buy, and a way out. */
export function TopUpWall({ snapshot, now, ...control }: TopUpWallProps): ReactNode {
  return (
    <WallSheet
      {...control}
      title={t('wallTitle')}
      words={wallWords(snapshot, now)}
      tone="warning"
      testId="topup-wall"
    >
      <PackList emphasis />
    </WallSheet>
  );
}

function wallWords({ state, currentPeriodEnd, credits }: EntitlementSnapshot, now: number): string {
  const renews = state === 'trial' || state === 'active';
  if (renews && currentPeriodEnd !== null && (credits?.monthlyCredits ?? 0) > 0) {
    return t('wallWordsReset', formatDay(currentPeriodEnd, now));
  }
  return t('wallWords');
}
