import { type ReactNode, useState } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { t } from '../text/t.ts';
import { Toggle } from '../toggle.tsx';
import { OTHER } from './derive-chart.ts';
import type { UsageFailure } from './load-usage.ts';
import { UsageChart } from './usage-chart.tsx';
import { UsageSummary } from './usage-summary.tsx';
import { UsageTable } from './usage-table.tsx';
import { type UsageView, useUsage } from './use-usage.ts';
import './usage.css';
import './chart.css';

interface UsageProps {
  readonly snapshot: EntitlementSnapshot;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What a feature of the pricing file is called in the user's language; its own name where it is not in here. */
  readonly featureNames?: Readonly<Record<string, string>>;
}

/** What is left of the credits, and where they went: by day and feature, as a chart and as a table. */
export function Usage({ snapshot, now, featureNames = {} }: UsageProps): ReactNode {
  return (
    <>
      {snapshot.credits !== null && <History snapshot={snapshot} featureNames={featureNames} />}
      <UsageSummary snapshot={snapshot} now={now} />
    </>
  );
}

const RANGES = ['7', '30'] as const;

function History({
  snapshot,
  featureNames,
}: Required<Pick<UsageProps, 'snapshot' | 'featureNames'>>): ReactNode {
  const [range, setRange] = useState<(typeof RANGES)[number]>('30');
  const { view, retry } = useUsage(Number(range), snapshot.updatedAt);
  const nameOf = (feature: string): string =>
    feature === OTHER ? t('usageOther') : (featureNames[feature] ?? feature);
  return (
    <section className="billing-history" aria-label={t('usageHistory')} aria-busy={view.kind === 'loading'}>
      <div className="billing-history-head">
        <h3>{t('usageHistory')}</h3>
        <Toggle
          label={t('usageRange')}
          value={range}
          choices={RANGES.map((days) => [days, t('usageDays', days)])}
          onChoose={setRange}
        />
      </div>
      <HistoryBody view={view} retry={retry} nameOf={nameOf} />
    </section>
  );
}

interface HistoryBodyProps {
  readonly view: UsageView;
  readonly retry: () => void;
  readonly nameOf: (feature: string) => string;
}

function HistoryBody({ view, retry, nameOf }: HistoryBodyProps): ReactNode {
  switch (view.kind) {
    case 'loading':
      return (
        <div className="billing-chart-empty" role="status" data-testid="usage-loading">
          <span className="billing-visually-hidden">{t('usageLoading')}</span>
          <span className="billing-bone" />
        </div>
      );
    case 'failed':
      return (
        <div className="billing-chart-empty" role="alert" data-testid="usage-failed">
          <p>{failureWords(view.reason)}</p>
          <Button onClick={retry}>{t('loadFailedRetry')}</Button>
        </div>
      );
    case 'ready':
      if (view.chart.credits === 0) {
        return (
          <div className="billing-chart-empty" data-testid="usage-empty">
            <p>{t('usageEmpty')}</p>
          </div>
        );
      }
      return (
        <>
          <UsageChart chart={view.chart} nameOf={nameOf} />
          {!view.complete && <p className="billing-hint">{t('usageIncomplete')}</p>}
          <UsageTable chart={view.chart} nameOf={nameOf} />
        </>
      );
    default:
      return view satisfies never;
  }
}

function failureWords(reason: UsageFailure): string {
  switch (reason) {
    case 'offline':
      return t('usageOffline');
    case 'signed_out':
      return t('refusedSignedOut');
    case 'account_changed':
      return t('refusedAccountChanged');
    case 'updated':
      return t('refusedUpdated');
    case 'invalid':
    case 'unavailable':
    case 'no_worker':
      return t('usageFailed');
    default:
      return reason satisfies never;
  }
}
