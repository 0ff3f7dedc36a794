import type { ReactNode } from 'react';
import { formatCount } from '../format.ts';
import { tCount } from '../text/texts.ts';
import { type ChartDay, formatUtcDay, OTHER, type UsageChartView } from './usage-data.ts';

interface UsageChartProps {
  readonly chart: UsageChartView;
  readonly nameOf: (feature: string) => string;
}

const HEIGHT = 144;
/** Nothing that was spent is drawn thinner than this. */
const THINNEST = 2;

/** A bar for each day, a tone for each feature. The table below it says the same to those who do not see it. */
export function UsageChart({ chart, nameOf }: UsageChartProps): ReactNode {
  const { days, features, credits, top } = chart;
  const toneOf = new Map(
    features.map(({ feature }, index) => [feature, feature === OTHER ? 'other' : `${index + 1}`]),
  );
  const step = 100 / days.length;
  const label = tCount(credits, 'usageChartLabel', formatCount(credits), formatCount(days.length));
  return (
    <figure className="billing-chart" data-testid="usage-chart">
      <div className="billing-chart-plot">
        <div className="billing-chart-scale" aria-hidden="true">
          <span>{formatCount(top)}</span>
          <span>{formatCount(top / 2)}</span>
          <span>0</span>
        </div>
        <svg role="img" aria-label={label} width="100%" height={HEIGHT}>
          {[0, 0.5, 1].map((share) => (
            <line key={share} x1="0" x2="100%" y1={lineAt(share)} y2={lineAt(share)} />
          ))}
          {days.map((day, index) => (
            <g key={day.day}>
              <title>{dayWords(day, nameOf)}</title>
              <rect data-part="hit" x={`${index * step}%`} y="0" width={`${step}%`} height={HEIGHT} />
              {day.parts.map(({ feature, credits: spent, from }) => {
                const height = Math.max(THINNEST, (spent / top) * HEIGHT - 1);
                return (
                  <rect
                    key={feature}
                    data-tone={toneOf.get(feature)}
                    x={`${(index + 0.16) * step}%`}
                    width={`${step * 0.68}%`}
                    y={HEIGHT - (from / top) * HEIGHT - height}
                    height={height}
                    rx="2"
                  />
                );
              })}
            </g>
          ))}
        </svg>
        <div className="billing-chart-days" aria-hidden="true">
          {labelled(days).map(({ day }) => (
            <span key={day}>{formatUtcDay(day)}</span>
          ))}
        </div>
      </div>
      <ul className="billing-chart-legend">
        {features.map(({ feature, credits: spent }) => (
          <li key={feature} data-tone={toneOf.get(feature)}>
            {nameOf(feature)} <span>{formatCount(spent)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** On whole pixels, and inside the picture, so that the line is as sharp at the top as below. */
function lineAt(share: number): number {
  return Math.min(HEIGHT - 0.5, Math.round(share * HEIGHT) + 0.5);
}

/** The first day, the middle one and the last: more would not fit a narrow page. */
function labelled(days: readonly ChartDay[]): readonly ChartDay[] {
  const at = [0, Math.floor((days.length - 1) / 2), days.length - 1];
  return [...new Set(at)].flatMap((index) => days[index] ?? []);
}

/** "Nov 21: 13 credits (Deep demo 10, Demo 3)". */
function dayWords({ day, credits, parts }: ChartDay, nameOf: (feature: string) => string): string {
  const sum = tCount(credits, 'usageDay', formatUtcDay(day), formatCount(credits));
  if (parts.length < 2) return sum;
  return `${sum} (${parts.map((part) => `${nameOf(part.feature)} ${formatCount(part.credits)}`).join(', ')})`;
}
