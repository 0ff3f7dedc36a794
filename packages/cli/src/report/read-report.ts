import type { Millis } from '@extension-billing/contract/customer';
import {
  type DaySummary,
  FeatureSpend,
  Figures,
  NOTHING,
  readDay,
  Standing,
} from '@extension-billing/contract/days';
import type { Output } from '@extension-billing/contract/schema';
import { DAY, dayOf } from '@extension-billing/contract/time';
import type { Firestore } from 'firebase-admin/firestore';
import * as v from 'valibot';
import {
  countAccounts,
  type Range,
  type ReportSource,
  reportSource,
} from '../../../../functions/src/report/accounts.ts';
import { DaySums, StandingSum } from '../../../../functions/src/report/day-sums.ts';
import { add, daysOf, startOf } from '../../../../functions/src/report/figures.ts';
import { figuresOfFacts } from '../../../../functions/src/report/sales.ts';
import { documentsOf, queries } from '../../../../functions/src/store/queries.ts';

/** Where the figures of a report come from. */
interface Origins {
  /** How many of its days were added up before, by the job `summarizeDays`. */
  readonly summarized: number;
  /** The days that were read from the ledgers, oldest first. */
  readonly live: readonly string[];
  /** The days that are not over, and were not read: their figures are 0. */
  readonly leftOut: readonly string[];
}

export interface Report extends Range {
  readonly standing: Standing;
  /** When the accounts had that. */
  readonly asOf: Millis;
  readonly read: Origins;
  /** Every day of the range, oldest first, `YYYY-MM-DD` in UTC. */
  readonly days: readonly ({ readonly day: string } & Figures)[];
  readonly total: Figures;
  /** Credits spent by feature, the most first. */
  readonly features: readonly FeatureSpend[];
}

/** A report of whole days, of what was added up for them. */
export function reportOf(
  range: Range,
  sums: DaySums,
  { standing, asOf, read }: Pick<Report, 'standing' | 'asOf' | 'read'>,
): Report {
  const all = new DaySums();
  const days = daysOf(range).map((day) => {
    all.countDay('all', sums.of(day));
    return { day, ...sums.of(day).figures };
  });
  const total = days.reduce<Figures>((sum, day) => add(sum, day), NOTHING);
  return { ...range, standing, asOf, read, days, total, features: all.of('all').features };
}

/** How far the ledgers are read: what a run that was stopped goes on with. */
export const Walk = v.object({
  part: v.picklist(['accounts', 'invoices', 'over']),
  after: v.nullable(v.string()),
  accounts: v.number(),
  standing: Standing,
  days: v.array(v.object({ day: v.string(), figures: Figures, features: v.array(FeatureSpend) })),
  /** When it began: the accounts' state is told as of then. */
  begunAt: v.number(),
});
export type Walk = Output<typeof Walk>;

export interface ReadOptions {
  /** Also read the days that are not over. */
  readonly live: boolean;
  /** Credits of the dearest feature; whoever could pay for it was not refused. Absent: everybody's ledger is read. */
  readonly dearest?: number;
  readonly source?: ReportSource;
  /** Where the run before was stopped. */
  readonly from?: Walk | null;
  /** Called after each page of accounts, and often enough to go on from. */
  readonly onPage?: (walk: Walk) => void;
  /** Asks to stop after the page at hand. */
  readonly stop?: AbortSignal;
}

/**
 * What happened in a range, which is made one of whole days: of each closed day its summary, of the others the ledgers
 * of all accounts, a page at a time, so that memory does not grow with them. Days that are not over are read only
 * where the ledgers are read anyway, or where it is asked for.
 *
 * @returns null where it was stopped
 */
export async function readReport(
  firestore: Firestore,
  asked: Range,
  now: Millis,
  options: ReadOptions = { live: true },
): Promise<Report | null> {
  const range = wholeDays(asked);
  const { closed, latest } = await readSummaries(firestore, range);
  const sums = new DaySums();
  for (const [day, summary] of closed) sums.countDay(day, summary);
  const open = daysOf(range).filter((day) => !closed.has(day));
  const isMissing = open.some((day) => day < dayOf(now));
  const read = { summarized: closed.size, live: [], leftOut: [] };
  if (latest !== null && !options.live && !isMissing) {
    const { standing, closedAt: asOf } = latest;
    return reportOf(range, sums, { standing, asOf, read: { ...read, leftOut: open } });
  }
  const walk = await readLedgers(options.source ?? reportSource(firestore), open, now, options);
  if (walk.part !== 'over') return null;
  const isOpen = new Set(open);
  for (const each of walk.days) if (isOpen.has(each.day)) sums.countDay(each.day, each);
  const { standing, begunAt: asOf } = walk;
  return reportOf(range, sums, { standing, asOf, read: { ...read, live: open } });
}

function wholeDays({ from, to }: Range): Range {
  return { from: Math.floor(from / DAY) * DAY, to: Math.ceil(to / DAY) * DAY };
}

const DAYS_A_PAGE = 400;

/** The closed days of a range, and what all accounts had at the look that closed the last of them. */
async function readSummaries(firestore: Firestore, { from, to }: Range) {
  const closed = new Map<string, DaySummary>();
  const days = queries.byId(firestore.collection('billing_days'));
  const asked = days.startAt(dayOf(from)).endBefore(dayOf(to));
  let latest: { readonly standing: Standing; readonly closedAt: Millis } | null = null;
  for await (const doc of documentsOf(asked, DAYS_A_PAGE)) {
    const summary = readDay(doc.data());
    const { closedAt, standing } = summary;
    if (closedAt === undefined) continue;
    closed.set(doc.id, summary);
    if (standing !== undefined) latest = { standing, closedAt };
  }
  return { closed, latest };
}

/** Adds up the days that nobody has added up. */
async function readLedgers(
  source: ReportSource,
  open: readonly string[],
  now: Millis,
  { dearest, from = null, onPage = () => {}, stop }: ReadOptions,
): Promise<Walk> {
  const [first = dayOf(now), last = dayOf(now)] = [open[0], open.at(-1)];
  const range = { from: startOf(first), to: startOf(last) + DAY };
  // A provider's clock may be ahead of this one: what it dates is known before its day.
  const since = dearest === undefined || range.from > now ? 0 : range.from;
  const look = { range, since, dearest: dearest ?? 0, now: from?.begunAt ?? now };
  const sums = new DaySums();
  for (const each of from?.days ?? []) sums.countDay(each.day, each);
  const standing = new StandingSum(from?.standing);
  let walk: Walk = from ?? {
    ...{ part: 'accounts', after: null, accounts: 0, days: [], begunAt: now },
    standing: standing.standing(),
  };
  const moved = (to: Pick<Walk, 'part' | 'after' | 'accounts'>): void => {
    const days = sums.days().map((day) => ({ day, ...sums.of(day) }));
    walk = { ...walk, ...to, standing: standing.standing(), days };
    onPage(walk);
  };
  const isIn = (at: Millis): boolean => at >= range.from && at < range.to;
  while (walk.part !== 'over' && stop?.aborted !== true) {
    if (walk.part === 'accounts') {
      const page = await source.accounts(walk.after);
      for (const { facts } of await countAccounts(source, page, look, sums, standing)) {
        for (const dated of figuresOfFacts(facts)) if (isIn(dated.at)) sums.count(dated);
      }
      const end = page.at(-1);
      if (end === undefined) moved({ part: 'invoices', after: null, accounts: walk.accounts });
      else moved({ part: 'accounts', after: end.id, accounts: walk.accounts + page.length });
    } else {
      const page = await source.invoices(walk.after);
      for (const { at, isFree } of page)
        if (isIn(at) && !isFree) sums.count({ at, figures: { invoices: 1 } });
      const end = page.at(-1);
      const { accounts } = walk;
      moved({ part: end === undefined ? 'over' : 'invoices', after: end?.id ?? null, accounts });
    }
  }
  return walk;
}
