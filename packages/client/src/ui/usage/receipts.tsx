import type { UsageEntry } from '@extension-billing/contract/usage';
import type { ReactNode } from 'react';
import { formatCount, formatMoment } from '../format.ts';
import { t, tCount } from '../text/texts.ts';
import { lineWords } from './usage-data.ts';

interface ReceiptsProps {
  /** Newest first. */
  readonly entries: readonly UsageEntry[];
  readonly nameOf: (feature: string) => string;
  readonly now: number;
}

/** What backends measured lately: what each call took, and how that came about. Nothing where none did. */
export function Receipts({ entries, nameOf, now }: ReceiptsProps): ReactNode {
  if (entries.length === 0) return null;
  return (
    <section className="billing-receipts" aria-label={t('usageReceipts')} data-testid="usage-receipts">
      <h4>{t('usageReceipts')}</h4>
      <ul>
        {entries.map(({ id, feature, deltaAllowance, deltaPack, createdAt, receipt }) => {
          const credits = 0 - deltaAllowance - deltaPack;
          return (
            <li key={id}>
              <div>
                <strong>{nameOf(feature ?? '')}</strong>
                {receipt?.label !== undefined && <span>{receipt.label}</span>}
                <strong>{tCount(credits, 'featureCost', formatCount(credits))}</strong>
              </div>
              <div>
                <span>{receipt?.lines?.map(lineWords).join(', ')}</span>
                <time dateTime={new Date(createdAt).toISOString()}>{formatMoment(createdAt, now)}</time>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
