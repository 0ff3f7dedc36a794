import { pricing } from '@extension-billing/contract/pricing';
import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay, formatMoment } from '../format/format-date.ts';
import { deriveMeter } from '../meter/derive-meter.ts';
import { nextCreditsAt } from '../meter/next-credits.ts';
import { t } from '../text/t.ts';
import './usage.css';

interface UsageSummaryProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
}

/** What the snapshot knows of the credits: spent of this allowance, left of packs, and how fresh that is. */
export function UsageSummary({ snapshot, now }: UsageSummaryProps): ReactNode {
  const meter = deriveMeter(snapshot, pricing);
  if (meter === null)
    return <p className="billing-hint">{pricing.plans.length > 0 ? t('usageNone') : t('usageNonePacks')}</p>;
  const { monthlyCredits, allowance, packCredits } = meter;
  const next = nextCreditsAt(snapshot, now);
  const rows: readonly (readonly [string, string])[] = [
    ...(monthlyCredits > 0
      ? ([
          [
            t('usageSpent'),
            t('usageOf', formatCount(monthlyCredits - allowance), formatCount(monthlyCredits)),
          ],
          [t('usageAllowanceLeft'), formatCount(allowance)],
        ] as const)
      : []),
    [t('usagePacksLeft'), formatCount(packCredits)],
    ...(monthlyCredits > 0 && next !== null ? ([[t('usagePeriodEnds'), formatDay(next, now)]] as const) : []),
    ...(snapshot.updatedAt > 0
      ? ([[t('usageLastChange'), formatMoment(snapshot.updatedAt, now)]] as const)
      : []),
  ];
  return (
    <dl className="billing-usage">
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
