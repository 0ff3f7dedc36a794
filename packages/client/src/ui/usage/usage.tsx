import type { Catalog } from '@extension-billing/contract/catalog';
import type { UsageEntry } from '@extension-billing/contract/usage';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button, Toggle } from '../controls.tsx';
import { type MessageKey, t } from '../text/texts.ts';
import { Receipts } from './receipts.tsx';
import { UsageChart } from './usage-chart.tsx';
import {
  daysUntil,
  deriveChart,
  formatUtcDay,
  loadUsage,
  OTHER,
  type UsageChartView,
  type UsageFailure,
} from './usage-data.ts';
import './usage.css';
import { givenCatalog } from '../../given-catalog.ts';
import { send } from '../../send.ts';
import { formatCount, formatDay, formatMoment } from '../format.ts';
import { deriveMeter, nextCreditsAt } from '../meter/meter.ts';

interface UsageProps {
  readonly snapshot: EntitlementSnapshot;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What a feature of the catalogue is called in the user's language; its own name where it is not in here. */
  readonly featureNames?: Readonly<Record<string, string>>;
}

/** What is left of the credits, and where they went: by day and feature, as a chart and as a table. */
export function Usage({ snapshot, now, featureNames = {} }: UsageProps): ReactNode {
  return (
    <>
      {snapshot.credits !== null && <History snapshot={snapshot} now={now} featureNames={featureNames} />}
      <UsageSummary snapshot={snapshot} now={now} />
    </>
  );
}

const RANGES = ['7', '30'] as const;

function History({ snapshot, now, featureNames }: Required<UsageProps>): ReactNode {
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
      <HistoryBody view={view} retry={retry} nameOf={nameOf} now={now} />
    </section>
  );
}

interface HistoryBodyProps {
  readonly view: UsageView;
  readonly retry: () => void;
  readonly nameOf: (feature: string) => string;
  readonly now: number;
}

function HistoryBody({ view, retry, nameOf, now }: HistoryBodyProps): ReactNode {
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
          <Receipts entries={view.receipts} nameOf={nameOf} now={now} />
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

/** What the usage page shows: on its way, refused, or the days and entries. */
export type UsageView =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly reason: UsageFailure }
  | {
      readonly kind: 'ready';
      readonly chart: UsageChartView;
      readonly receipts: readonly UsageEntry[];
      readonly complete: boolean;
    };

/** The new balance is painted first, and spends that follow each other closely are one question. */
const SETTLED_AFTER_MS = 300;

/**
 * What was spent in the last days, asked for again soon after `version` changes (the record's `updatedAt` does with
 * every spend). What was there stays in view meanwhile.
 */
export function useUsage(dayCount: number, version: number): { view: UsageView; retry: () => void } {
  const [view, setView] = useState<UsageView>({ kind: 'loading' });
  const [attempt, setAttempt] = useState(0);
  const asked = useRef(version);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version or attempt asks the same question again
  useEffect(() => {
    let current = true;
    const ask = async (): Promise<void> => {
      const days = daysUntil(Date.now(), dayCount);
      const [from = '', to = ''] = [days.at(0), days.at(-1)];
      const loaded = await loadUsage((request) => send('creditsUsage', request), from, to);
      if (!current) return;
      if (loaded.ok) {
        const { totals, receipts, complete } = loaded;
        setView({ kind: 'ready', chart: deriveChart(totals, days), receipts, complete });
      } else setView((shown) => (shown.kind === 'ready' ? shown : { kind: 'failed', reason: loaded.reason }));
    };
    const timer = setTimeout(() => void ask(), asked.current === version ? 0 : SETTLED_AFTER_MS);
    asked.current = version;
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [dayCount, version, attempt]);

  const retry = (): void => {
    setView({ kind: 'loading' });
    setAttempt((count) => count + 1);
  };
  return { view, retry };
}

interface UsageSummaryProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
}

/** What the snapshot knows of the credits: spent of this allowance, left of packs, and how fresh that is. */
function UsageSummary({ snapshot, now }: UsageSummaryProps): ReactNode {
  const meter = deriveMeter(snapshot, givenCatalog);
  if (meter === null) return <p className="billing-hint">{t(whatBringsCredits(givenCatalog))}</p>;
  const { monthlyCredits, allowance, packCredits } = meter;
  const next = snapshot.credits?.nextAt ?? nextCreditsAt(snapshot, now);
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

/** What an account without credits may do about it: what is sold that brings some. */
function whatBringsCredits({ plans, packs }: Catalog): MessageKey {
  const hasPlans = plans.some(({ credits }) => credits !== null);
  if (packs.length > 0) return hasPlans ? 'usageNone' : 'usageNonePacks';
  return hasPlans ? 'usageNonePlans' : 'usageNoneSold';
}

interface UsageTableProps {
  readonly chart: UsageChartView;
  readonly nameOf: (feature: string) => string;
}

/** The chart as a table: the days on which something was spent, the newest first. */
function UsageTable({ chart, nameOf }: UsageTableProps): ReactNode {
  const { days, features } = chart;
  return (
    <details className="billing-usage-table">
      <summary>{t('usageTable')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people with only a keyboard must be able to scroll it */}
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
