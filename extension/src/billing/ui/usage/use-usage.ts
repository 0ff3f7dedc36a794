import { useEffect, useState } from 'react';
import { send } from '../../send.ts';
import { daysUntil, deriveChart, type UsageChartView } from './derive-chart.ts';
import { loadUsage, type UsageFailure } from './load-usage.ts';

export type UsageView =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly reason: UsageFailure }
  | { readonly kind: 'ready'; readonly chart: UsageChartView; readonly complete: boolean };

/**
 * What was spent in the last days, asked for again whenever `version` changes (the record's `updatedAt` does with
 * every spend). What was there stays in view meanwhile.
 */
export function useUsage(dayCount: number, version: number): { view: UsageView; retry: () => void } {
  const [view, setView] = useState<UsageView>({ kind: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version or attempt asks the same question again
  useEffect(() => {
    let current = true;
    const days = daysUntil(Date.now(), dayCount);
    const [from = '', to = ''] = [days.at(0), days.at(-1)];
    loadUsage((request) => send('creditsUsage', request), from, to).then((loaded) => {
      if (!current) return;
      if (loaded.ok)
        setView({ kind: 'ready', chart: deriveChart(loaded.totals, days), complete: loaded.complete });
      else setView((shown) => (shown.kind === 'ready' ? shown : { kind: 'failed', reason: loaded.reason }));
    });
    return () => {
      current = false;
    };
  }, [dayCount, version, attempt]);

  const retry = (): void => {
    setView({ kind: 'loading' });
    setAttempt((count) => count + 1);
  };
  return { view, retry };
}
