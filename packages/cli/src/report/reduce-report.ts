import { availableCredits, heldOf } from '@extension-billing/contract/available-credits';
import { type BillingState, billingState } from '@extension-billing/contract/billing-state';
import type { CustomerRecord, Millis } from '@extension-billing/contract/customer';
import type { UsageRange } from '../../../../functions/src/domain/usage.ts';
import { add, type Figures, NOTHING } from './day-figures.ts';
import type { ReportedEntry, Told } from './tell-figures.ts';
import { tellEntry } from './tell-figures.ts';

const DAY: Millis = 24 * 60 * 60 * 1000;

/** What all accounts have at this moment. */
export interface Standing {
  readonly customers: number;
  readonly plans: readonly {
    readonly plan: string;
    readonly state: BillingState;
    readonly customers: number;
  }[];
  /** Credits that are owned, with what is held. */
  readonly allowance: number;
  readonly packs: number;
  /** Of them, what reservations hold. */
  readonly held: number;
  readonly available: number;
}

export interface Report {
  readonly from: Millis;
  readonly to: Millis;
  readonly standing: Standing;
  /** Every day of the range, oldest first, `YYYY-MM-DD` in UTC. */
  readonly days: readonly ({ readonly day: string } & Figures)[];
  readonly total: Figures;
  /** Credits spent by feature, the most first. */
  readonly features: readonly { readonly feature: string; readonly credits: number }[];
}

/** Adds up a report while its sources are read; it holds days, plans and features, whatever there is of the rest. */
export class ReportSum {
  readonly #range: UsageRange;
  readonly #days: Map<string, Figures>;
  readonly #plans = new Map<string, { plan: string; state: BillingState; customers: number }>();
  readonly #features = new Map<string, number>();
  #standing = { customers: 0, allowance: 0, packs: 0, held: 0, available: 0 };

  constructor(range: UsageRange) {
    this.#range = range;
    this.#days = new Map(daysOf(range).map((day) => [day, NOTHING]));
  }

  /** A user's record, as it is at `now`. */
  countRecord(record: CustomerRecord, now: Millis): void {
    const holds = record.creditHolds ?? [];
    const owned = { allowance: record.creditsAllowance ?? 0, packs: record.packCreditsRemaining ?? 0 };
    const free = availableCredits(owned, holds, now);
    const before = this.#standing;
    this.#standing = {
      customers: before.customers + 1,
      allowance: before.allowance + owned.allowance,
      packs: before.packs + owned.packs,
      held: before.held + heldOf(holds, now),
      available: before.available + free.allowance + free.packs,
    };
    if (!record.paid) return;
    const plan = record.plan ?? 'unknown';
    const state = billingState(record);
    const known = this.#plans.get(`${plan} ${state}`) ?? { plan, state, customers: 0 };
    this.#plans.set(`${plan} ${state}`, { ...known, customers: known.customers + 1 });
  }

  countEntry(entry: ReportedEntry): void {
    const told = tellEntry(entry);
    this.count(told);
    if (entry.feature === null || !this.#isInRange(told.at)) return;
    const { spent = 0 } = told.figures;
    this.#features.set(entry.feature, (this.#features.get(entry.feature) ?? 0) + spent);
  }

  /** What is outside of the range is left out. */
  count({ at, figures }: Told): void {
    const day = dayOf(at);
    const before = this.#days.get(day);
    if (before !== undefined && this.#isInRange(at)) this.#days.set(day, add(before, figures));
  }

  report(): Report {
    const days = [...this.#days].map(([day, figures]) => ({ day, ...figures }));
    const byName = (a: string, b: string) => (a < b ? -1 : 1);
    return {
      ...this.#range,
      standing: {
        ...this.#standing,
        plans: [...this.#plans.values()].sort(
          (a, b) => b.customers - a.customers || byName(`${a.plan} ${a.state}`, `${b.plan} ${b.state}`),
        ),
      },
      days,
      total: days.reduce<Figures>((sum, day) => add(sum, day), NOTHING),
      features: [...this.#features]
        .filter(([, credits]) => credits > 0)
        .map(([feature, credits]) => ({ feature, credits }))
        .sort((a, b) => b.credits - a.credits || byName(a.feature, b.feature)),
    };
  }

  #isInRange(at: Millis): boolean {
    return at >= this.#range.from && at < this.#range.to;
  }
}

function daysOf({ from, to }: UsageRange): readonly string[] {
  const days: string[] = [];
  for (let at = Math.floor(from / DAY) * DAY; at < to; at += DAY) days.push(dayOf(at));
  return days;
}

function dayOf(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}
