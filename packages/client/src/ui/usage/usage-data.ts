import type { ReceiptLine } from '@extension-billing/contract/measured';
import { DAY } from '@extension-billing/contract/time';
import type { UsageEntry, UsageTotal } from '@extension-billing/contract/usage';
import type { BillingMessages, UsageResult } from '../../messages.ts';
import { dateFormat, formatCount } from '../format.ts';
import { textLocale } from '../text/texts.ts';

export type UsageFailure = Extract<UsageResult, { ok: false }>['reason'] | 'no_worker';

/**
 * What was spent by day and feature, and the newest receipts among it. `complete` is false where there is more than was
 * asked for.
 */
type LoadedUsage =
  | {
      readonly ok: true;
      readonly totals: readonly UsageTotal[];
      readonly receipts: readonly UsageEntry[];
      readonly complete: boolean;
    }
  | { readonly ok: false; readonly reason: UsageFailure };

/** Pages of the ledger that one look at the chart may ask for, newest first. */
const MAX_PAGES = 10;
const MAX_RECEIPTS = 5;

type Ask = (request: BillingMessages['creditsUsage']['request']) => Promise<UsageResult>;

/** Asks for every page of a range of days (`2026-11-21`, in UTC, both included) and puts their totals together. */
export async function loadUsage(ask: Ask, from: string, to: string): Promise<LoadedUsage> {
  const totals: UsageTotal[] = [];
  const receipts: UsageEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: UsageResult | null = await ask({ from, to, ...(cursor !== null && { cursor }) }).catch(
      () => null,
    );
    if (answer === null) return { ok: false, reason: 'no_worker' };
    if (!answer.ok) return { ok: false, reason: answer.reason };
    totals.push(...answer.totals);
    receipts.push(...answer.entries.filter(({ receipt }) => receipt !== undefined));
    cursor = answer.next;
    if (cursor === null) break;
  }
  return { ok: true, totals, receipts: receipts.slice(0, MAX_RECEIPTS), complete: cursor === null };
}

/** A line of a receipt: `1,200 input × 1/1,000` are 1,200 inputs at a credit for each thousand. */
export function lineWords({ unit, quantity, credits, per }: ReceiptLine): string {
  const rate = per === 1 ? formatCount(credits) : `${formatCount(credits)}/${formatCount(per)}`;
  return `${formatCount(quantity)} ${unit} × ${rate}`;
}

/** One feature's part of a day's bar, from the bottom up, in credits. */
interface ChartPart {
  readonly feature: string;
  readonly credits: number;
  /** Where it starts: the credits of the parts below it. */
  readonly from: number;
}
export interface ChartDay {
  /** `2026-11-21`, in UTC, as the service counts days. */
  readonly day: string;
  readonly credits: number;
  readonly parts: readonly ChartPart[];
}
interface ChartFeature {
  readonly feature: string;
  readonly credits: number;
}
export interface UsageChartView {
  /** Every day of the range, the oldest first, also those without a spend. */
  readonly days: readonly ChartDay[];
  /** What was spent most comes first, and stands at the bottom of every bar. */
  readonly features: readonly ChartFeature[];
  readonly credits: number;
  /** The top of the scale: a round number, at least the highest bar. */
  readonly top: number;
}

/** Stands for every feature beyond those with a colour of their own. */
export const OTHER = '';
const OWN_COLOURS = 4;

/** The days of a range that ends today, the oldest first. `now` is in milliseconds since the epoch. */
export function daysUntil(now: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY).toISOString().slice(0, 10),
  );
}

/** The chart of a range. A day may come in several totals, as it does where a page of the ledger ends within it. */
export function deriveChart(totals: readonly UsageTotal[], days: readonly string[]): UsageChartView {
  const inRange = totals.filter(({ day, credits }) => days.includes(day) && credits > 0);
  const ranked = sums(inRange, ({ feature }) => feature).sort(byCredits);
  const own = new Set(
    ranked.slice(0, ranked.length > OWN_COLOURS + 1 ? OWN_COLOURS : undefined).map(([name]) => name),
  );
  const shown = inRange.map((total) => (own.has(total.feature) ? total : { ...total, feature: OTHER }));
  const features = sums(shown, ({ feature }) => feature)
    .sort((a, b) => Number(a[0] === OTHER) - Number(b[0] === OTHER) || byCredits(a, b))
    .map(([feature, credits]) => ({ feature, credits }));

  const bars = days.map((day): ChartDay => {
    const spent = new Map(
      sums(
        shown.filter((total) => total.day === day),
        ({ feature }) => feature,
      ),
    );
    let from = 0;
    const parts = features.flatMap(({ feature }): ChartPart[] => {
      const credits = spent.get(feature) ?? 0;
      if (credits === 0) return [];
      from += credits;
      return [{ feature, credits, from: from - credits }];
    });
    return { day, credits: from, parts };
  });
  return {
    days: bars,
    features,
    credits: features.reduce((sum, { credits }) => sum + credits, 0),
    top: roundUp(Math.max(0, ...bars.map(({ credits }) => credits))),
  };
}

function sums(totals: readonly UsageTotal[], keyOf: (total: UsageTotal) => string): [string, number][] {
  const found = new Map<string, number>();
  for (const total of totals) found.set(keyOf(total), (found.get(keyOf(total)) ?? 0) + total.credits);
  return [...found];
}

/** The name decides between equals, so that a colour does not move from load to load. */
function byCredits([a, some]: readonly [string, number], [b, more]: readonly [string, number]): number {
  return more - some || (a < b ? -1 : 1);
}

/** A number that reads well, and half of which is whole: 2, 4, 6, 8, 10, 20, 30, … */
function roundUp(highest: number): number {
  for (let power = 1; ; power *= 10) {
    const steps = power === 1 ? [2, 4, 6, 8] : [1, 2, 3, 4, 5, 6, 8];
    const round = steps.map((step) => step * power).find((step) => step >= highest);
    if (round !== undefined) return round;
  }
}

/** A day that the service counts, in UTC (`2026-11-21`), as people say it: "Nov 21". */
export function formatUtcDay(day: string, locale = textLocale()): string {
  const format = dateFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return format.format(Date.parse(day));
}
