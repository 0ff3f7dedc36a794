import { type Measured, type Operations, times } from './compute-cost.ts';

/** What a subscriber of the metered plan is taken to do in a month. */
export const MONTH = {
  subscribers: 1_000,
  days: 30,
  /** The whole allowance, at one credit each. */
  consumes: 1_000,
  /** Share of the consumes that come after a pause, or on another instance. */
  unseen: 0.1,
  /** Times that the extension is opened: each begins with one read of the record. */
  openings: 60,
  /** Events of a renewal: invoice.paid and customer.subscription.updated. */
  events: 2,
} as const;

/** Reads for one user of the daily comparison: record, facts, their customer, and the ledger's sum by the thousand. */
const COMPARISON: Operations = { reads: 4, writes: 0 };

export interface MonthLine {
  readonly what: string;
  readonly operations: Required<Operations>;
  /** Requests to the function. */
  readonly requests: number;
}

/** One line for each thing that costs something, for all subscribers. */
export function subscribersMonth({ operationsOf }: Measured): readonly MonthLine[] {
  const { subscribers, days, consumes, unseen, openings, events } = MONTH;
  const all = subscribers * consumes;
  const late = Math.round(all * unseen);
  const line = (what: string, count: number, each: Operations, requests: number): MonthLine => ({
    what,
    operations: times(count, each),
    requests,
  });
  return [
    line(
      'consumes of users seen lately',
      all - late,
      operationsOf('consume, of a user seen lately'),
      all - late,
    ),
    line('consumes of users not seen lately', late, operationsOf('consume, of a user not seen lately'), late),
    line('the new balance, read by the extension’s listener', all, { reads: 1, writes: 0 }, 0),
    line('the record, read when the extension is opened', subscribers * openings, { reads: 1, writes: 0 }, 0),
    line(
      'events of renewals',
      subscribers * events,
      operationsOf('webhook, a renewal'),
      subscribers * events,
    ),
    line('event markers that expire', subscribers * events, { reads: 0, writes: 0, deletes: 1 }, 0),
    line('the daily comparison with Stripe', subscribers * days, COMPARISON, 0),
  ];
}
