import type { Millis } from '@extension-billing/contract/customer';
import { encodeDay, NOBODY, readDay, Standing } from '@extension-billing/contract/days';
import type { Output } from '@extension-billing/contract/schema';
import { DAY, dayOf } from '@extension-billing/contract/time';
import type { Transaction } from 'firebase-admin/firestore';
import * as v from 'valibot';
import type { AppDeps } from '../deps.ts';
import { paths, toTimestamp, type Uid } from '../store/documents.ts';
import { type HeldJob, type Job, LeaseLost, RUN_LASTS, takeJob } from '../store/jobs.ts';
import { countAccounts, dearestOf, type ReportSource, reportSource } from './accounts.ts';
import { DaySums, StandingSum } from './day-sums.ts';
import { daysOf, startOf } from './figures.ts';
import { lackingOf, type Reported, reportedOf } from './sales.ts';

// The job that adds up each closed day over all accounts, so that a report reads days and no ledgers.

/** A round: the days that are counted together, and how far. All but the first days of a deployment have one day. */
const Round = v.object({
  /** The first day, and the one after the last. */
  from: v.string(),
  to: v.string(),
  part: v.picklist(['accounts', 'invoices']),
  /** Whom it had looked at last. */
  after: v.nullable(v.string()),
  /** What those have whom it has looked at. */
  standing: Standing,
  /** Its days begin at nothing, whatever of the facts was counted on them before. */
  isAnew: v.optional(v.boolean(), false),
});
type Round = Output<typeof Round>;

const State = v.object({
  /** The first day that was ever counted: what is told later of the days before is left out. */
  since: v.nullable(v.string()),
  /** The first day that is not counted yet. */
  next: v.nullable(v.string()),
  round: v.nullable(Round),
});
type State = Output<typeof State>;

export const SUMMARIES: Job<State> = {
  name: 'summarizeDays',
  schema: State,
  first: { since: null, next: null, round: null },
};

/** Max days counted in one run: at the beginning, and after a pause of the job. */
const MAX_DAYS = 31;
/** A day is closed this long after its end: what was asked on it is committed by then, and clocks agree by less. */
const SETTLES_WITHIN: Millis = 15 * 60 * 1000;
/** A document takes about one write a second for long, and each save writes the job and its days. */
const SAVE_EVERY: Millis = 2_000;
/** Accounts between two looks at the clock. */
const AT_ONCE = 50;

/** What came of a run. `finished` is false where a later one has to go on. */
export type Summarized =
  | {
      readonly kind: 'summarized';
      readonly days: number;
      readonly accounts: number;
      readonly finished: boolean;
    }
  /** No day is to be closed, or another process is at it. */
  | { readonly kind: 'nothing' | 'elsewhere' };

interface Options {
  readonly within: Millis;
  readonly saveEvery: Millis;
  readonly source: ReportSource;
}

/**
 * Closes the days that are over: adds up what happened on them in all accounts, in pieces that are each added to the
 * days in the transaction that moves the cursor, so that everything counts once, whatever is cut off. Called every
 * hour; a run goes on where the one before ended.
 */
export async function summarizeDays(
  deps: Pick<AppDeps, 'firestore' | 'now' | 'log' | 'catalog'>,
  {
    within = RUN_LASTS,
    saveEvery = SAVE_EVERY,
    source = reportSource(deps.firestore),
  }: Partial<Options> = {},
): Promise<Summarized> {
  const held = await takeJob(deps.firestore, SUMMARIES, deps.now);
  if (held === null) return { kind: 'elsewhere' };
  try {
    const done = await summarize(deps, held, { within, saveEvery, source });
    if (done.kind === 'summarized') {
      const { kind: _, ...counts } = done;
      deps.log.info('days_summarized', counts);
    }
    await held.release();
    return done;
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'elsewhere' };
    throw error;
  }
}

async function summarize(
  deps: Pick<AppDeps, 'firestore' | 'now' | 'catalog'>,
  held: HeldJob<State>,
  { within, saveEvery, source }: Options,
): Promise<Summarized> {
  const begun = deps.now();
  const state = await beginRound(deps.firestore, held, begun);
  if (state === null) return { kind: 'nothing' };
  const { round } = state;
  const days = daysIn(round);
  const job = new Piece(deps, held, state);
  let accounts = 0;
  const isOver = (): boolean => deps.now() - begun >= within;
  const mayGoOn = async (): Promise<boolean> => {
    if (deps.now() - job.savedAt >= saveEvery) await job.save();
    return !isOver();
  };
  const unfinished = { kind: 'summarized', days: days.length, finished: false } as const;
  if (round.part === 'accounts') {
    for await (const page of pages(source.accounts, round.after, AT_ONCE)) {
      await job.countAccounts(source, page, dearestOf(deps.catalog()));
      accounts += page.length;
      if (!(await mayGoOn())) {
        await job.save();
        return { ...unfinished, accounts };
      }
    }
    await job.save('invoices');
  }
  for await (const page of pages(source.invoices, job.after, AT_ONCE)) {
    job.countInvoices(page);
    if (!(await mayGoOn())) {
      await job.save();
      return { ...unfinished, accounts };
    }
  }
  await job.close(days);
  return { kind: 'summarized', days: days.length, accounts, finished: true };
}

/**
 * The round that is gone on with, or the next one. A job whose document was deleted knows of no day: what is closed stays
 * as it is, and what was counted of a day in part is forgotten.
 */
async function beginRound(
  firestore: AppDeps['firestore'],
  held: HeldJob<State>,
  now: Millis,
): Promise<Counting | null> {
  const { since, next, round } = held.state;
  const found = round ?? nextRound(next, now);
  if (found === null) return null;
  if (round !== null || next !== null) return { since: since ?? found.from, next, round: found };

  const known = await firestore.getAll(...daysIn(found).map((day) => paths.day(firestore, day)));
  const closed = known.filter((day) => readDay(day.data()).closedAt !== undefined).map(({ id }) => id);
  const last = closed.at(-1);
  const rest = last === undefined ? found : nextRound(dayOf(startOf(last) + DAY), now);
  if (rest === null) return null;
  const state = { since: closed[0] ?? rest.from, next, round: { ...rest, isAnew: true } };
  await held.save(state, async (transaction) => {
    for (const { exists, id, ref } of known) {
      if (exists && id >= rest.from) transaction.set(ref, encodeDay(readDay(undefined), toTimestamp));
    }
  });
  return state;
}

function daysIn({ from, to }: Pick<Round, 'from' | 'to'>): readonly string[] {
  return daysOf({ from: startOf(from), to: startOf(to) });
}

/** The days that are over and not counted; null where there are none. */
function nextRound(next: string | null, now: Millis): Round | null {
  const to = dayOf(now - SETTLES_WITHIN);
  const earliest = dayOf(startOf(to) - MAX_DAYS * DAY);
  const from = next === null || next < earliest ? earliest : next;
  return from < to ? { from, to, part: 'accounts', after: null, standing: NOBODY, isAnew: false } : null;
}

/** Items in parts of a few, whatever the size of the pages that they come in. */
async function* pages<Item extends { readonly id: string }>(
  read: (after: string | null) => Promise<readonly Item[]>,
  first: string | null,
  size: number,
): AsyncGenerator<readonly Item[]> {
  let after = first;
  for (;;) {
    const page = await read(after);
    for (let start = 0; start < page.length; start += size) yield page.slice(start, start + size);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

type Counting = State & { readonly since: string; readonly round: Round };

/** What was counted since the last save, and where that ends. */
class Piece {
  readonly #deps: Pick<AppDeps, 'firestore' | 'now'>;
  readonly #held: HeldJob<State>;
  #state: Counting;
  #sums = new DaySums();
  #sales = new Map<Uid, Reported>();
  #standing: StandingSum;
  after: string | null;
  savedAt: Millis;

  constructor(deps: Pick<AppDeps, 'firestore' | 'now'>, held: HeldJob<State>, state: Counting) {
    this.#deps = deps;
    this.#held = held;
    this.#state = state;
    this.#standing = new StandingSum(state.round.standing);
    this.after = state.round.after;
    this.savedAt = deps.now();
  }

  async countAccounts(
    source: ReportSource,
    page: Awaited<ReturnType<ReportSource['accounts']>>,
    dearest: number,
  ): Promise<void> {
    const { since } = this.#state;
    const range = this.#range();
    const look = { range, since: range.from, dearest, now: this.#deps.now() };
    for (const { uid, facts, reported } of await countAccounts(
      source,
      page,
      look,
      this.#sums,
      this.#standing,
    )) {
      const wanted = reportedOf(facts, since);
      const lacking = lackingOf(wanted, this.#countedOf(reported));
      if (lacking.length === 0) continue;
      for (const dated of lacking) this.#sums.count(dated);
      this.#sales.set(uid, wanted);
    }
    this.after = page.at(-1)?.id ?? this.after;
  }

  /** What of a user's facts is in the days as they are now. */
  #countedOf(reported: Reported): Reported {
    const { since, round } = this.#state;
    const isLost = (day: string): boolean => round.isAnew && day >= round.from && day < round.to;
    return Object.fromEntries(Object.entries(reported).filter(([day]) => day >= since && !isLost(day)));
  }

  /** An invoice whose event came late belongs to the day that the provider names, which may be closed already. */
  countInvoices(page: Awaited<ReturnType<ReportSource['invoices']>>): void {
    const { from, to } = this.#range();
    const since = startOf(this.#state.since);
    for (const { at, appliedAt, isFree } of page) {
      const isNew = appliedAt >= from && appliedAt < to;
      if (isNew && at >= since && !isFree) this.#sums.count({ at, figures: { invoices: 1 } });
    }
    this.after = page.at(-1)?.id ?? this.after;
  }

  /** @param part begins now, where the one before is over */
  async save(part?: Round['part']): Promise<void> {
    if (part !== undefined) this.after = null;
    const { round } = this.#state;
    const next = {
      ...round,
      part: part ?? round.part,
      after: this.after,
      standing: this.#standing.standing(),
    };
    await this.#commit({ ...this.#state, round: next }, []);
    this.#state = { ...this.#state, round: next };
  }

  /** Saves what is left, and the days are closed. */
  async close(days: readonly string[]): Promise<void> {
    const { since, round } = this.#state;
    await this.#commit({ since, next: round.to, round: null }, days);
  }

  async #commit(state: State, closed: readonly string[]): Promise<void> {
    const { firestore, now } = this.#deps;
    const [sums, sales] = [this.#sums, this.#sales];
    const standing = this.#standing.standing();
    const names = [...new Set([...sums.days(), ...closed])];
    const at = now();
    await this.#held.save(state, async (transaction: Transaction) => {
      const refs = names.map((day) => paths.day(firestore, day));
      const stored = refs.length === 0 ? [] : await transaction.getAll(...refs);
      for (const [index, ref] of refs.entries()) {
        const day = names[index] ?? '';
        const summary = {
          ...sums.addedTo(day, readDay(stored[index]?.data())),
          ...(closed.includes(day) && { closedAt: at, standing }),
        };
        transaction.set(ref, encodeDay(summary, toTimestamp));
      }
      for (const [uid, reported] of sales) {
        transaction.set(paths.facts(firestore, uid), { reported }, { mergeFields: ['reported'] });
      }
    });
    this.#sums = new DaySums();
    this.#sales = new Map();
    this.savedAt = at;
  }

  #range() {
    const { from, to } = this.#state.round;
    return { from: startOf(from), to: startOf(to) };
  }
}
