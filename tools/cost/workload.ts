import { addUp, times } from './compute-cost.ts';
import type { CountedJob, Measured, Operations } from './counted.ts';
import { DAYS } from './prices.ts';

// What accounts are taken to do in a month. Change it to yours, and run `node tools/cost.ts`.

/** What one account does in a month. */
export interface Habits {
  /** At one credit each. */
  readonly consumes: number;
  /** Spends that the balance does not cover. */
  readonly refused: number;
  /** Times that a page of the extension is opened. */
  readonly openings: number;
  /** Events of a renewal: invoice.paid and customer.subscription.updated. */
  readonly events: number;
  /** Days on which they spent something on it or on the three before. */
  readonly activeDays: number;
}

/** Somebody on a metered plan, who spends the whole allowance. */
export const PAYER: Habits = { consumes: 1_000, refused: 5, openings: 60, events: 2, activeDays: 30 };
/** Somebody who never buys, and spends what the catalogue gives for free. */
export const NON_PAYER: Habits = { consumes: 20, refused: 2, openings: 20, events: 0, activeDays: 15 };

export interface Profile {
  readonly name: string;
  /** Share of the accounts. */
  readonly payers: number;
}

export const PROFILES: readonly Profile[] = [
  { name: '3 % pay', payers: 0.03 },
  { name: '10 % pay', payers: 0.1 },
  { name: 'all metered', payers: 1 },
];

export const ASSUMED = {
  /** Share of the consumes whose record neither the instance nor the client knows. */
  unseen: 0.1,
  /** Share of the consumes during which a page with the balance is open: a listener reads each change. */
  watched: 0.5,
  /** Documents that a page reads when it is opened: the record, and the published catalogue. */
  readsOfOpening: 2,
  /** Reads a day of a background that nobody looks at (docs/decisions/client-worker.md). */
  readsOfWakes: 1,
} as const;

interface Job {
  readonly job: string;
  /** Runs in a month, and how often each account is looked at. */
  readonly starts: number;
  readonly rounds: number;
  /** How often somebody is looked at who did something since. */
  readonly active: (habits: Habits) => number;
  /** Days within which every account should have been looked at. */
  readonly within: number;
  /** Accounts that are looked at side by side. */
  readonly atOnce: number;
  /** It has the database add up a ledger that was written to: a read for each thousand entries, besides what was counted. */
  readonly addsUp?: true;
}

/** Each job runs hourly, and ends after so many minutes to go on in the next run. */
export const MINUTES_OF_RUN = 25;

/** Rolls old entries into pages. */
export const COMPACTION = 'compactLedgers';

/** The scheduled jobs (functions/src/index.ts). */
export const JOBS: readonly Job[] = [
  {
    // Counted as a day in the mean, all its runs together.
    ...{ job: 'reconcileDaily', starts: DAYS, rounds: DAYS, within: 7, atOnce: 4 },
    ...{ active: () => 0, addsUp: true },
  },
  {
    ...{ job: 'summarizeDays', starts: 24 * DAYS, rounds: DAYS, within: 1, atOnce: 10 },
    active: ({ activeDays }) => activeDays,
  },
  {
    ...{ job: COMPACTION, starts: 24 * DAYS, rounds: 1, within: DAYS, atOnce: 10 },
    active: () => 1,
  },
];

interface MonthLine {
  readonly what: string;
  readonly operations: Required<Operations>;
  /** Requests to the function. */
  readonly requests: number;
}

interface Books {
  readonly jobs: readonly Job[];
  /** Months of entries that a ledger has, besides what is in pages. */
  readonly months: number;
}

/**
 * One line for each thing that costs operations, for so many accounts of a profile.
 *
 * @param books as they are where old entries are rolled
 */
export function monthOf(
  { payers }: Profile,
  accounts: number,
  measured: Measured,
  { jobs = JOBS, months = measured.compaction.days / DAYS }: Partial<Books> = {},
): readonly MonthLine[] {
  const paying = accounts * payers;
  const sum = (habit: keyof Habits): number => paying * PAYER[habit] + (accounts - paying) * NON_PAYER[habit];
  const { operationsOf } = measured;
  const consumes = sum('consumes');
  const late = consumes * ASSUMED.unseen;
  const line = (what: string, count: number, each: Operations, requests = count): MonthLine => ({
    what,
    operations: times(count, each),
    requests,
  });
  const read: Operations = { reads: 1, writes: 0 };
  const refusal = operationsOf('consume, refused');
  return [
    line('consumes of users seen lately', consumes - late, operationsOf('consume, of a user seen lately')),
    line('consumes of users not seen lately', late, operationsOf('consume, of a user not seen lately')),
    // The entry of a refusal goes after a week.
    line('consumes refused', sum('refused'), { ...refusal, deletes: refusal.writes }),
    line('the new balance, read by the extension’s listener', consumes * ASSUMED.watched, read, 0),
    line('record and catalogue, read by a page', sum('openings') * ASSUMED.readsOfOpening, read, 0),
    line('the background without a page', accounts * DAYS * ASSUMED.readsOfWakes, read, 0),
    line('events of renewals', sum('events'), operationsOf('webhook, a renewal')),
    line('event markers that expire', sum('events'), { reads: 0, writes: 0, deletes: 1 }, 0),
    ...jobs.map((job) => ({
      what: `the job \`${job.job}\``,
      operations: addUp([
        operationsOfJob(measured.jobs, job, accounts - paying, paying),
        { reads: job.addsUp ? job.rounds * paying * thousandsIn(months * PAYER.consumes) : 0, writes: 0 },
      ]),
      requests: 0,
    })),
  ];
}

/** Reads that adding up so many entries takes. */
const thousandsIn = (entries: number): number => Math.max(1, Math.ceil(entries / 1_000));

/** What a job asks for in a month. */
function operationsOfJob(
  jobs: readonly CountedJob[],
  { job, starts, rounds, active }: Job,
  free: number,
  payers: number,
): Required<Operations> {
  return addUp([
    times(starts, eachOf(jobs, job, 'run')),
    times(rounds * free, eachOf(jobs, job, 'free')),
    times(rounds * payers, eachOf(jobs, job, 'payer')),
    times(free * active(NON_PAYER) + payers * active(PAYER), eachOf(jobs, job, 'active')),
    times(free * NON_PAYER.consumes + payers * PAYER.consumes, eachOf(jobs, job, 'spend')),
  ]);
}

const NOTHING: CountedJob['each'] = { calls: 0, reads: 0, writes: 0, deletes: 0, providerCalls: 0 };

/** @throws Error where it was not counted; a job that looks at everybody alike has nothing for the active ones */
export function eachOf(jobs: readonly CountedJob[], job: string, of: CountedJob['of']): CountedJob['each'] {
  const found = jobs.find((one) => one.job === job && one.of === of);
  if (found === undefined && (of === 'active' || of === 'spend')) return NOTHING;
  if (found === undefined)
    throw new Error(`nobody counted the job "${job}": npm run suite -- node tools/bench/count-jobs.ts`);
  return found.each;
}

/** Calls to the provider that the jobs make in a month. */
export function providerCallsOf(measured: Measured, free: number, payers: number): number {
  return JOBS.reduce(
    (sum, { job, starts, rounds }) =>
      sum +
      starts * eachOf(measured.jobs, job, 'run').providerCalls +
      rounds * free * eachOf(measured.jobs, job, 'free').providerCalls +
      rounds * payers * eachOf(measured.jobs, job, 'payer').providerCalls,
    0,
  );
}
