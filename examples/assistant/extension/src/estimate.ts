import { measuredCost } from '@extension-billing/contract/measured';
import { boundsOf, dearestOf, type Rate } from '../../gateway/bounds.ts';
import type { Message, Pool } from '../../gateway/usage.ts';

/** A model as GET /v1/models tells of it. */
export interface OfferedModel {
  readonly id: string;
  readonly billing: {
    readonly maxOutput: number;
    readonly hold: number;
    readonly rates: Readonly<Record<Pool, Rate>>;
  };
}

export interface Estimate {
  /** Credits that are held first: it cannot cost more. */
  readonly most: number;
  /** Credits of an answer of the usual length. */
  readonly likely: number;
  /** It could cost more than a call may: the server would refuse it. */
  readonly isTooLong: boolean;
}

/** Tokens of an answer as people mostly get it. */
const USUAL_ANSWER = 300;

/** What asking these messages costs, by the rates and the arithmetic of the server. */
export function estimate(messages: readonly Message[], { billing }: OfferedModel): Estimate {
  const { maxOutput, hold, rates } = billing;
  const bounds = boundsOf(messages, maxOutput);
  const costOf = (units: Readonly<Record<string, number>>) => measuredCost({ hold, rates }, units);
  const most = costOf(dearestOf(bounds, rates));
  const likely = costOf({ input: bounds.likelyInput, output: Math.min(USUAL_ANSWER, maxOutput) });
  return { most, likely, isTooLong: most > hold };
}

export function describeEstimate({ most, likely, isTooLong }: Estimate): string {
  if (isTooLong) return 'This is too long for one question. Send less.';
  return `About ${credits(likely)}, ${credits(most)} at most.`;
}

/** What an answer cost, as its last chunk says it. */
export interface ShownReceipt {
  readonly credits: number | null;
  readonly usage: Readonly<Record<Pool, number>>;
  readonly estimated: boolean;
  readonly balance: number | null;
}

export function describeReceipt({ credits: cost, usage, estimated, balance }: ShownReceipt): string {
  const tokens = `${usage.input} input, ${usage.cached} cached, ${usage.output} output, ${usage.reasoning} reasoning tokens`;
  const what = `${tokens}${estimated ? ', estimated' : ''}`;
  if (cost === null) return `The price of this answer is not settled yet (${what}).`;
  return `${credits(cost)} (${what}).${balance === null ? '' : ` ${balance} left.`}`;
}

const credits = (count: number): string => `${count} credit${count === 1 ? '' : 's'}`;
