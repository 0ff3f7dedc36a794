import { creditsAt, recordAt } from '@extension-billing/contract/credits';
import type { Millis } from '@extension-billing/contract/customer';
import {
  type BillingState,
  balancesOf,
  billingState,
  heldOf,
  NO_CREDITS,
} from '@extension-billing/contract/customer';
import { readEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import {
  FieldPath,
  type Firestore,
  type Query,
  type QueryDocumentSnapshot,
  Timestamp,
} from 'firebase-admin/firestore';
import type { UsageRange } from '../../../../functions/src/credits/usage.ts';
import { readFacts } from '../../../../functions/src/events/apply.ts';
import { parseUid, paths, readCustomer, type Uid } from '../../../../functions/src/store/documents.ts';
import {
  add,
  type DatedFigures,
  datedFigures,
  type Figures,
  figuresOfFacts,
  NOTHING,
  type ReportedEntry,
} from './figures.ts';

const PAGE = 300;
/** Users whose ledgers are read at once. */
const AT_ONCE = 10;

/**
 * Reads all accounts and adds up what happened in a range: one read for each user and each ledger entry of the range,
 * a page at a time, so that memory does not grow with either. It needs no index of its own: a ledger is asked user by
 * user (docs/decisions/0077-a-report-from-the-ledgers.md).
 */
export async function readReport(firestore: Firestore, range: UsageRange, now: Millis): Promise<Report> {
  const sum = new ReportSum(range);
  const customers = firestore.collection('customers').orderBy(FieldPath.documentId());
  for await (const page of pagesOf(customers, PAGE)) {
    for (const snapshot of page) {
      const record = readCustomer(snapshot);
      if (record !== null) sum.countRecord(record, now);
    }
    const uids = page.map(({ id }) => parseUid(id)).filter((uid) => uid !== null);
    const facts = await firestore.getAll(...uids.map((uid) => paths.facts(firestore, uid)));
    for (const snapshot of facts) {
      const stored = readFacts(snapshot);
      if (stored !== null) for (const dated of figuresOfFacts(stored.facts)) sum.count(dated);
    }
    await eachOf(uids, (uid) => countLedger(firestore, uid, range, sum));
  }
  // All that are kept, 45 days of them: to ask for type and time at once would take an index of its own.
  const paid = firestore.collection('billing_events').where('type', '==', 'invoice.paid').select('createdAt');
  for await (const page of pagesOf(paid.orderBy(FieldPath.documentId()), PAGE)) {
    for (const marker of page) sum.count({ at: millis(marker.get('createdAt')), figures: { invoices: 1 } });
  }
  return sum.report();
}

async function countLedger(firestore: Firestore, uid: Uid, range: UsageRange, sum: ReportSum): Promise<void> {
  const entries = paths
    .ledger(firestore, uid)
    .where('createdAt', '>=', Timestamp.fromMillis(range.from))
    .where('createdAt', '<', Timestamp.fromMillis(range.to))
    .orderBy('createdAt')
    .orderBy(FieldPath.documentId())
    .select(...FIELDS);
  for await (const page of pagesOf(entries, PAGE)) {
    for (const entry of page) sum.countEntry(readEntry(entry.id, entry.data()));
  }
}

async function* pagesOf(query: Query, size: number): AsyncGenerator<readonly QueryDocumentSnapshot[]> {
  let page = query.limit(size);
  for (;;) {
    const { docs } = await page.get();
    if (docs.length > 0) yield docs;
    const last = docs.at(-1);
    if (last === undefined || docs.length < size) return;
    page = query.startAfter(last).limit(size);
  }
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const one = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

const FIELDS = [
  'kind',
  'feature',
  'outcome',
  'cost',
  'deltaAllowance',
  'deltaPack',
  'allowance',
  'granted',
  'byHand',
  'createdAt',
];

function millis(value: unknown): Millis {
  return value instanceof Timestamp ? value.toMillis() : 0;
}

const DAY: Millis = 24 * 60 * 60 * 1000;

/** A bound without a plan: it was given by hand. */
function isComplimentary({ planKind, entitledUntil }: CustomerRecord): boolean {
  return planKind === undefined && typeof entitledUntil === 'number';
}

/** What all accounts have at this moment. */
interface Standing {
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
  countRecord(stored: CustomerRecord, now: Millis): void {
    const record = recordAt(stored, now);
    const holds = record.creditHolds ?? [];
    const owned = balancesOf(record) ?? NO_CREDITS;
    const free = creditsAt(record, now) ?? NO_CREDITS;
    const before = this.#standing;
    this.#standing = {
      customers: before.customers + 1,
      allowance: before.allowance + owned.allowance,
      packs: before.packs + owned.packs,
      held: before.held + heldOf(holds, now),
      available: before.available + free.allowance + free.packs,
    };
    if (!record.paid) return;
    const plan = record.plan ?? (isComplimentary(record) ? 'complimentary' : 'unknown');
    const state = billingState(record);
    const known = this.#plans.get(`${plan} ${state}`) ?? { plan, state, customers: 0 };
    this.#plans.set(`${plan} ${state}`, { ...known, customers: known.customers + 1 });
  }

  countEntry(entry: ReportedEntry): void {
    const dated = datedFigures(entry);
    this.count(dated);
    if (entry.feature === null || !this.#isInRange(dated.at)) return;
    const { spent = 0 } = dated.figures;
    this.#features.set(entry.feature, (this.#features.get(entry.feature) ?? 0) + spent);
  }

  /** What is outside of the range is left out. */
  count({ at, figures }: DatedFigures): void {
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
