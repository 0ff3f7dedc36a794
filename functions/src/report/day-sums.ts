import { creditsAt, recordAt } from '@extension-billing/contract/credits';
import {
  balancesOf,
  billingState,
  heldOf,
  type Millis,
  NO_CREDITS,
} from '@extension-billing/contract/customer';
import {
  type DaySummary,
  type FeatureSpend,
  type Figures,
  NOBODY,
  NOTHING,
  type Standing,
} from '@extension-billing/contract/days';
import type { CustomerRecord } from '@extension-billing/contract/record';
import { dayOf } from '@extension-billing/contract/time';
import { add, type DatedFigures, datedFigures, type ReportedEntry } from './figures.ts';

type Features = ReadonlyMap<string, number>;

/** Adds up what happened by day; it holds days and features, whatever there is of the rest. */
export class DaySums {
  readonly #days = new Map<string, { figures: Figures; features: Features }>();

  /** A ledger entry, with the feature that spent. */
  countEntry(entry: ReportedEntry): void {
    const dated = datedFigures(entry);
    const { spent = 0 } = dated.figures;
    const features =
      entry.feature === null || spent === 0 ? [] : [{ feature: entry.feature, credits: spent }];
    this.#add(dayOf(dated.at), dated.figures, features);
  }

  count({ at, figures }: DatedFigures): void {
    this.#add(dayOf(at), figures, []);
  }

  /** What was added up elsewhere. */
  countDay(day: string, { figures, features }: Pick<DaySummary, 'figures' | 'features'>): void {
    this.#add(day, figures, features);
  }

  /** The days on which something happened. */
  days(): readonly string[] {
    return [...this.#days.keys()];
  }

  /** What happened on a day. */
  of(day: string): Pick<DaySummary, 'figures' | 'features'> {
    const { figures = NOTHING, features = new Map() } = this.#days.get(day) ?? {};
    return { figures, features: listOf(features) };
  }

  /** A summary with what was added up here. */
  addedTo(day: string, summary: DaySummary): DaySummary {
    const both = new DaySums();
    both.countDay(day, summary);
    both.countDay(day, this.of(day));
    return { ...summary, ...both.of(day) };
  }

  #add(day: string, figures: Partial<Figures>, features: readonly FeatureSpend[]): void {
    const before = this.#days.get(day) ?? { figures: NOTHING, features: new Map() };
    const sums = new Map(before.features);
    for (const { feature, credits } of features) sums.set(feature, (sums.get(feature) ?? 0) + credits);
    this.#days.set(day, { figures: add(before.figures, figures), features: sums });
  }
}

/** The most first, and none that spent nothing. */
function listOf(features: Features): readonly FeatureSpend[] {
  return [...features]
    .filter(([, credits]) => credits > 0)
    .map(([feature, credits]) => ({ feature, credits }))
    .sort((a, b) => b.credits - a.credits || compare(a.feature, b.feature));
}

/** A bound without a plan: it was given by hand. */
function isComplimentary({ planKind, entitledUntil }: CustomerRecord): boolean {
  return planKind === undefined && typeof entitledUntil === 'number';
}

/** Adds up what all accounts have. */
export class StandingSum {
  #sum: Omit<Standing, 'plans'>;
  readonly #plans: Map<string, Standing['plans'][number]>;

  /** @param begun what was added up before */
  constructor({ plans, ...sum }: Standing = NOBODY) {
    this.#sum = sum;
    this.#plans = new Map(plans.map((each) => [`${each.plan} ${each.state}`, each]));
  }

  /** A user's record, as it is at `now`. */
  count(stored: CustomerRecord, now: Millis): void {
    const record = recordAt(stored, now);
    const owned = balancesOf(record) ?? NO_CREDITS;
    const free = creditsAt(record, now) ?? NO_CREDITS;
    const before = this.#sum;
    this.#sum = {
      customers: before.customers + 1,
      allowance: before.allowance + owned.allowance,
      packs: before.packs + owned.packs,
      held: before.held + heldOf(record.creditHolds ?? [], now),
      available: before.available + free.allowance + free.packs,
    };
    if (!record.paid) return;
    const plan = record.plan ?? (isComplimentary(record) ? 'complimentary' : 'unknown');
    const state = billingState(record);
    const known = this.#plans.get(`${plan} ${state}`) ?? { plan, state, customers: 0 };
    this.#plans.set(`${plan} ${state}`, { ...known, customers: known.customers + 1 });
  }

  /** The plans that the most have come first. */
  standing(): Standing {
    const plans = [...this.#plans.values()].sort(
      (a, b) => b.customers - a.customers || compare(`${a.plan} ${a.state}`, `${b.plan} ${b.state}`),
    );
    return { ...this.#sum, plans };
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
