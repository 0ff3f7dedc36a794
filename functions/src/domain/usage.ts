import type { Millis } from '@extension-billing/contract/customer';
import type { UsageEntry, UsageTotal } from '@extension-billing/contract/usage';

const DAY: Millis = 24 * 60 * 60 * 1000;
/** A year and a day, so that the same day of last year is in it. */
const LONGEST: Millis = 367 * DAY;
const DEFAULT_SPAN: Millis = 30 * DAY;

/** From `from` on, and before `to`. */
export interface UsageRange {
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * The range that a caller asks for. A day (`2026-11-21`) is the whole day in UTC, as `from` and as `to`; an instant
 * needs its offset (`2026-11-21T12:00:00Z`) and is exact, `to` excluded. Without `to`: until now; without `from`:
 * the 30 days before `to`. A text instead of a range says what is wrong with it.
 */
export function parseUsageRange(
  from: string | undefined,
  to: string | undefined,
  now: Millis,
): UsageRange | string {
  const end = to === undefined ? now + 1 : parseInstant(to, 'end');
  if (end === null) return `to: ${NOT_A_DATE}`;
  const start = from === undefined ? end - DEFAULT_SPAN : parseInstant(from, 'start');
  if (start === null) return `from: ${NOT_A_DATE}`;
  if (start >= end) return 'from: must be before to.';
  if (end - start > LONGEST) return 'from: must be at most a year before to; ask for a part of it at a time.';
  return { from: start, to: end };
}

const NOT_A_DATE = 'must be a day (2026-11-21, in UTC) or an instant (2026-11-21T12:00:00Z), as in ISO 8601.';
/** What `from` and `to` may look like. */
export const ISO_DAY = /^[12]\d{3}-\d{2}-\d{2}$/;
export const ISO_INSTANT = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

function parseInstant(text: string, dayAs: 'start' | 'end'): Millis | null {
  const isDay = ISO_DAY.test(text);
  if (!isDay && !ISO_INSTANT.test(text)) return null;
  // Date.parse takes 30 February for 2 March: only a day that comes back as it went in exists.
  const day = Date.parse(text.slice(0, 10));
  if (Number.isNaN(day) || dayOf(day) !== text.slice(0, 10)) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return isDay && dayAs === 'end' ? at + DAY : at;
}

/** What each feature spent on each day, newest day first, features by name. Refusals and grants spend nothing. */
export function totalsOf(entries: readonly UsageEntry[]): readonly UsageTotal[] {
  const totals = new Map<string, UsageTotal>();
  for (const { kind, feature, outcome, deltaAllowance, deltaPack, createdAt } of entries) {
    const isSpend = (kind === 'consume' || kind === 'confirm') && outcome !== 'exhausted';
    if (!isSpend || feature === null) continue;
    const day = dayOf(createdAt);
    const before = totals.get(`${day} ${feature}`) ?? { day, feature, credits: 0, count: 0 };
    const credits = before.credits - deltaAllowance - deltaPack;
    totals.set(`${day} ${feature}`, { ...before, credits, count: before.count + 1 });
  }
  return [...totals.values()].sort((a, b) => compare(b.day, a.day) || compare(a.feature, b.feature));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function dayOf(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}
