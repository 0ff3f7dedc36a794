import { useEffect, useRef, useState } from 'react';
import { send } from '../../send.ts';
import { daysUntil, deriveChart, type UsageChartView } from './derive-chart.ts';
import { loadUsage, type UsageFailure } from './load-usage.ts';

export type UsageView =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly reason: UsageFailure }
  | { readonly kind: 'ready'; readonly chart: UsageChartView; readonly complete: boolean };

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
      if (loaded.ok)
        setView({ kind: 'ready', chart: deriveChart(loaded.totals, days), complete: loaded.complete });
      else setView((shown) => (shown.kind === 'ready' ? shown : { kind: 'failed', reason: loaded.reason }));
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
