import { type Catalog, offerOf } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import { givenCatalog } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay, formatMoment } from '../format.ts';
import { t } from '../text/texts.ts';

/** How full the balance is: what the meter’s colour says. */
export type MeterLevel = 'healthy' | 'low' | 'empty';

/** What the balance meter draws. Counts are whole credits. */
export interface MeterView {
  readonly balance: number;
  readonly allowance: number;
  readonly packCredits: number;
  /** Credits of a full allowance, also of a free one, whatever its period; 0 where there is none. */
  readonly monthlyCredits: number;
  /** What a full bar stands for, at least `balance`. */
  readonly capacity: number;
  readonly level: MeterLevel;
}

const LOW_SHARE_OF_ALLOWANCE = 0.2;
const LOW_PACK_CREDITS = 20;

/** The meter of a snapshot; null where credits are not in use, because then there is nothing to measure. */
export function deriveMeter(snapshot: EntitlementSnapshot, catalog: Catalog): MeterView | null {
  const { credits } = snapshot;
  if (credits === null) return null;
  const { balance, allowance, packCredits } = credits;
  const ofPlan = hasAllowance(snapshot, catalog) ? Math.max(credits.monthlyCredits, allowance) : 0;
  const monthlyCredits = Math.max(ofPlan, credits.periodCredits ?? 0);
  const capacity = monthlyCredits > 0 ? monthlyCredits + packCredits : packCapacity(balance, catalog);
  return {
    balance,
    allowance,
    packCredits,
    monthlyCredits,
    capacity: Math.max(capacity, balance),
    level: levelOf(balance, monthlyCredits),
  };
}

/** The size of the last allowance stays on record after a metered plan ended, and no longer counts then. */
function hasAllowance({ plan, paid, credits }: EntitlementSnapshot, catalog: Catalog): boolean {
  const offer = plan === null ? undefined : offerOf(catalog, plan);
  const metered = offer !== undefined && offer.kind !== 'pack' && offer.credits !== null;
  return (paid && metered) || (credits?.allowance ?? 0) > 0;
}

/**
 * Nobody knows how many pack credits there once were. A bar that is full from the smallest pack upwards never grows
 * on a spend, as one that changes its measure from pack to pack would.
 */
function packCapacity(balance: number, catalog: Catalog): number {
  const sizes = catalog.packs.map(({ credits }) => credits);
  return sizes.length === 0 ? balance : Math.max(balance, Math.min(...sizes));
}

function levelOf(balance: number, monthlyCredits: number): MeterLevel {
  if (balance === 0) return 'empty';
  const low = monthlyCredits > 0 ? monthlyCredits * LOW_SHARE_OF_ALLOWANCE : LOW_PACK_CREDITS;
  return balance <= low ? 'low' : 'healthy';
}

interface MeterLine {
  readonly part: 'allowance' | 'packs' | 'note';
  readonly text: string;
}

/** The words under the bar: what each tone stands for, and what happens to it next. */
export function describeMeter(
  meter: MeterView,
  snapshot: EntitlementSnapshot,
  now: number,
): readonly MeterLine[] {
  const ending = endingPacks(snapshot, now);
  const packs: MeterLine = { part: 'packs', text: packsLine(meter, ending, now) };
  if (meter.monthlyCredits === 0) {
    if (meter.balance > 0)
      return ending === null ? [packs, { part: 'note', text: t('meterPacksStay') }] : [packs];
    return givenCatalog.packs.length > 0 ? [{ part: 'note', text: t('meterEmptyPacks') }] : [];
  }
  return [
    {
      part: 'allowance',
      text: t(
        isMonthly(snapshot.credits) ? 'meterAllowance' : 'usageOf',
        formatCount(meter.allowance),
        formatCount(meter.monthlyCredits),
      ),
    },
    ...(meter.packCredits > 0 ? [packs] : []),
    ...nextAllowance(snapshot, meter, now),
  ];
}

interface EndingPacks {
  readonly credits: number;
  readonly at: Millis;
}

/** The pack credits that end first; null if none of them end. */
function endingPacks({ credits }: EntitlementSnapshot, now: Millis): EndingPacks | null {
  const ends = (credits?.pools ?? []).flatMap(({ kind, left, until }) =>
    kind === 'pack' && left > 0 && until !== null && until > now ? [{ credits: left, at: until }] : [],
  );
  if (ends.length === 0) return null;
  const at = Math.min(...ends.map((end) => end.at));
  return { at, credits: ends.reduce((sum, end) => (end.at === at ? sum + end.credits : sum), 0) };
}

function packsLine({ packCredits }: MeterView, ending: EndingPacks | null, now: Millis): string {
  const packs = formatCount(packCredits);
  if (ending === null) return t('meterPacks', packs);
  const day = formatDay(ending.at, now);
  return ending.credits >= packCredits
    ? t('meterPacksEnd', packs, day)
    : t('meterPacksEndSome', packs, formatCount(ending.credits), day);
}

/** Not known of credits by the clock, which say their period themselves, and of free ones that nobody spent of yet. */
function isMonthly(credits: EntitlementSnapshot['credits']): boolean {
  return credits?.pools === undefined && !credits?.expected;
}

function nextAllowance(
  snapshot: EntitlementSnapshot,
  { packCredits }: MeterView,
  now: number,
): readonly MeterLine[] {
  const byClock = snapshot.credits?.nextAt ?? null;
  if (byClock !== null) return [{ part: 'note', text: t('meterNext', formatMoment(byClock, now)) }];
  const next = nextCreditsAt(snapshot, now);
  if (next !== null) return [{ part: 'note', text: t('meterResets', formatDay(next, now)) }];
  const ends = endOf(snapshot);
  if (ends === null || ends <= now) return [];
  const packsStay = packCredits > 0 && endingPacks(snapshot, now) === null;
  const key = packsStay ? 'meterEndsPacksStay' : 'meterEnds';
  return [{ part: 'note', text: t(key, formatDay(ends, now)) }];
}

/** The announced end of the monthly credits: a cancelled plan's, or that of the plan before a lifetime plan. */
function endOf({ state, currentPeriodEnd, runningSubscription }: EntitlementSnapshot): number | null {
  if (state === 'cancel_pending') return currentPeriodEnd;
  return state === 'lifetime' ? (runningSubscription?.currentPeriodEnd ?? null) : null;
}

/**
 * When the plan brings its next monthly credits. Null where it does not renew, and where its period is over without a
 * word of the next one: it has brought nothing yet, and no day is known.
 */
export function nextCreditsAt(
  { state, currentPeriodEnd }: Pick<EntitlementSnapshot, 'state' | 'currentPeriodEnd'>,
  now: Millis,
): Millis | null {
  const renews = state === 'trial' || state === 'active';
  return renews && currentPeriodEnd !== null && currentPeriodEnd > now ? currentPeriodEnd : null;
}
