import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay } from '../format/format-date.ts';
import { t } from '../text/t.ts';
import type { MeterView } from './derive-meter.ts';
import { nextCreditsAt } from './next-credits.ts';

export interface MeterLine {
  readonly part: 'allowance' | 'packs' | 'note';
  readonly text: string;
}

/** The words under the bar: what each tone stands for, and what happens to it next. */
export function describeMeter(
  meter: MeterView,
  snapshot: EntitlementSnapshot,
  now: number,
): readonly MeterLine[] {
  const packs: MeterLine = { part: 'packs', text: t('meterPacks', formatCount(meter.packCredits)) };
  if (meter.monthlyCredits === 0) {
    return meter.balance === 0
      ? [{ part: 'note', text: t('meterEmptyPacks') }]
      : [packs, { part: 'note', text: t('meterPacksStay') }];
  }
  return [
    {
      part: 'allowance',
      text: t('meterAllowance', formatCount(meter.allowance), formatCount(meter.monthlyCredits)),
    },
    ...(meter.packCredits > 0 ? [packs] : []),
    ...nextAllowance(snapshot, meter, now),
  ];
}

function nextAllowance(
  snapshot: EntitlementSnapshot,
  { packCredits }: MeterView,
  now: number,
): readonly MeterLine[] {
  const next = nextCreditsAt(snapshot, now);
  if (next !== null) return [{ part: 'note', text: t('meterResets', formatDay(next, now)) }];
  const ends = endOf(snapshot);
  if (ends === null || ends <= now) return [];
  const key = packCredits > 0 ? 'meterEndsPacksStay' : 'meterEnds';
  return [{ part: 'note', text: t(key, formatDay(ends, now)) }];
}

/** The announced end of the monthly credits: a cancelled plan's, or that of the plan before a lifetime plan. */
function endOf({ state, currentPeriodEnd, runningSubscription }: EntitlementSnapshot): number | null {
  if (state === 'cancel_pending') return currentPeriodEnd;
  return state === 'lifetime' ? (runningSubscription?.currentPeriodEnd ?? null) : null;
}
