import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format/format-date.ts';
import { nextCreditsAt } from '../meter/next-credits.ts';
import { PackList } from '../plans/pack-list.tsx';
import { t } from '../text/t.ts';
import { CreditCosts } from './credit-costs.tsx';
import { WallSheet, type WallSheetControl } from './wall-sheet.tsx';

interface TopUpWallProps extends WallSheetControl {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  /** What the features are called, by their names in the pricing file. */
  readonly featureNames?: Readonly<Record<string, string>>;
}

/** The sheet under an empty meter: packs to buy, and a way out. */
export function TopUpWall({ snapshot, now, featureNames, ...control }: TopUpWallProps): ReactNode {
  return (
    <WallSheet
      {...control}
      title={t('wallTitle')}
      words={wallWords(snapshot, now)}
      tone="warning"
      testId="topup-wall"
    >
      <CreditCosts {...(featureNames && { featureNames })} />
      <PackList emphasis />
    </WallSheet>
  );
}

function wallWords(snapshot: EntitlementSnapshot, now: number): string {
  const next = nextCreditsAt(snapshot, now);
  const isMetered = (snapshot.credits?.monthlyCredits ?? 0) > 0;
  return next !== null && isMetered ? t('wallWordsReset', formatDay(next, now)) : t('wallWords');
}
