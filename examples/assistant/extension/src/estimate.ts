import { boundsOf, costOf, dearestOf, type Message, type Price } from '../../function/cost.ts';
import type { Receipt } from '../../function/reply.ts';

/** A model in the answer of GET /v1/models. */
export interface OfferedModel {
  readonly id: string;
  readonly billing: Price & { readonly maxOutput: number };
}

export interface Estimate {
  /** Credits that the function holds: it can't cost more. */
  readonly most: number;
  /** Credits for an answer of usual length. */
  readonly likely: number;
  /** It could cost more than a call may, so the function would refuse it. */
  readonly isTooLong: boolean;
}

/** Tokens of an answer of usual length. */
const USUAL_ANSWER = 300;

/** Returns what these messages cost, by the function's rates and arithmetic. */
export function estimate(messages: readonly Message[], { billing }: OfferedModel): Estimate {
  const { maxOutput, hold } = billing;
  const bounds = boundsOf(messages, maxOutput);
  const most = costOf(billing, dearestOf(bounds, billing));
  const output = Math.min(USUAL_ANSWER, maxOutput);
  const likely = costOf(billing, { input: bounds.likelyInput, cached: 0, output, reasoning: 0 });
  return { most, likely, isTooLong: most > hold };
}

export function describeEstimate({ most, likely, isTooLong }: Estimate): string {
  if (isTooLong) return 'This is too long for one question. Send less.';
  return `About ${credits(likely)}, ${credits(most)} at most.`;
}

export function describeReceipt({ credits: cost, usage, estimated, balance }: Receipt): string {
  const tokens = `${usage.input} input, ${usage.cached} cached, ${usage.output} output, ${usage.reasoning} reasoning tokens`;
  const what = `${tokens}${estimated ? ', estimated' : ''}`;
  if (cost === null) return `The price of this answer is not settled yet (${what}).`;
  return `${credits(cost)} (${what}).${balance === null ? '' : ` ${balance} left.`}`;
}

const credits = (count: number): string => `${count} credit${count === 1 ? '' : 's'}`;
