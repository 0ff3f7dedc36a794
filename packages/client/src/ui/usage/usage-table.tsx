import type { ReactNode } from 'react';
import { formatCount, formatUtcDay } from '../format/format-date.ts';
import { t } from '../text/t.ts';
import type { UsageChartView } from './derive-chart.ts';

interface UsageTableProps {
  readonly chart: UsageChartView;
  readonly nameOf: (feature: string) => string;
}

/** The chart as a table: the days on which something was spent, the newest first. */
export function UsageTable({ chart, nameOf }: UsageTableProps): ReactNode {
  const { days, features } = chart;
  return (
    <details className="billing-usage-table">
      <summary>{t('usageTable')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has only a keyboard must be able to scroll it */}
      <section className="billing-table-scroll" tabIndex={0} aria-label={t('usageTitle')}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('usageTableDay')}</th>
              {features.map(({ feature }) => (
                <th key={feature} scope="col">
                  {nameOf(feature)}
                </th>
              ))}
              <th scope="col">{t('usageTableSum')}</th>
            </tr>
          </thead>
          <tbody>
            {days
              .filter(({ credits }) => credits > 0)
              .toReversed()
              .map(({ day, credits, parts }) => (
                <tr key={day}>
                  <th scope="row">{formatUtcDay(day)}</th>
                  {features.map(({ feature }) => (
                    <td key={feature}>
                      {formatCount(parts.find((part) => part.feature === feature)?.credits ?? 0)}
                    </td>
                  ))}
                  <td>{formatCount(credits)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
