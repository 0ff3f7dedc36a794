import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay } from '../format/format-date.ts';
import { t } from '../text/t.ts';
import type { MeterView } from './derive-meter.ts';

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
  const { state, currentPeriodEnd } = snapshot;
  if (state === 'past_due' || state === 'free') return [];
  const ends = t.bind(null, packCredits > 0 ? 'meterEndsPacksStay' : 'meterEnds');
  if (state === 'lifetime') {
    // What is left of the plan before it, which is running out.
    const until = snapshot.runningSubscription?.currentPeriodEnd ?? null;
    return until === null ? [] : [{ part: 'note', text: ends(formatDay(until, now)) }];
  }
  if (currentPeriodEnd === null) return [];
  const day = formatDay(currentPeriodEnd, now);
  return [{ part: 'note', text: state === 'cancel_pending' ? ends(day) : t('meterResets', day) }];
}
