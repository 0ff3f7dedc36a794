import type { FeaturePrice } from '@extension-billing/contract/catalog';
import { measuredCost } from '@extension-billing/contract/measured';

// What a call can cost and what it did cost, in tokens. Pure: the page and the function use the same arithmetic.

/** Each token is in exactly one pool: a cached token isn't also input. */
export const POOLS = ['input', 'cached', 'output', 'reasoning'] as const;
export type Pool = (typeof POOLS)[number];

/** Tokens of one call, by pool. */
export type Usage = Readonly<Record<Pool, number>>;

/** What a model costs: the feature's `hold` and `rates` in billing.config.ts. */
export interface Price {
  readonly hold: number;
  readonly rates: Readonly<Record<Pool, { readonly credits: number; readonly per: number }>>;
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

export type FinishReason = 'stop' | 'length' | 'content_filter';

/** Bytes of UTF-8 per token, on the low side: English prose has 4 to 5, other scripts and code 3. */
const BYTES_PER_TOKEN = 3;
/** Tokens that a model's chat format adds to a message and to a call, on the high side. */
const PER_MESSAGE = 16;
const PER_CALL = 64;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).byteLength;
const tokensIn = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** Returns the whole credits that this usage costs. */
export const costOf = (price: Price, usage: Usage): number => measuredCost(price, usage);

/**
 * Returns a feature's price.
 *
 * @throws Error if the feature has no hold, or no rate for one of the pools
 */
export function priceIn(features: Readonly<Record<string, FeaturePrice>>, name: string): Price {
  const { hold, rates = {} } = (Object.hasOwn(features, name) ? features[name] : undefined) ?? {};
  const [input, cached, output, reasoning] = POOLS.map((pool) => rates[pool]);
  if (hold === undefined || !input || !cached || !output || !reasoning) {
    throw new Error(`billing.config.ts: give "${name}" a hold and rates for ${POOLS.join(', ')}.`);
  }
  return { hold, rates: { input, cached, output, reasoning } };
}

/** Limits of a call's tokens, known before it is made. */
export interface Bounds {
  /** A token has at least one byte. */
  readonly mostInput: number;
  readonly likelyInput: number;
  /** Output and reasoning together; the upstream gets this limit. */
  readonly mostOutput: number;
}

export function boundsOf(messages: readonly Message[], mostOutput: number): Bounds {
  const bytes = messages.reduce((sum, { text }) => sum + bytesOf(text), 0);
  return {
    mostInput: bytes + messages.length * PER_MESSAGE + PER_CALL,
    likelyInput: tokensIn(bytes) + messages.length * 4,
    mostOutput,
  };
}

/** Returns the most expensive usage within the bounds: all input and all output in the dearer pool of each. */
export function dearestOf({ mostInput, mostOutput }: Bounds, { rates }: Pick<Price, 'rates'>): Usage {
  const isDearer = (a: Pool, b: Pool) => rates[a].credits * rates[b].per > rates[b].credits * rates[a].per;
  const isCachedDearer = isDearer('cached', 'input');
  const isReasoningDearer = isDearer('reasoning', 'output');
  return {
    input: isCachedDearer ? 0 : mostInput,
    cached: isCachedDearer ? mostInput : 0,
    output: isReasoningDearer ? 0 : mostOutput,
    reasoning: isReasoningDearer ? mostOutput : 0,
  };
}

/** What one chunk of the upstream's stream says. */
export interface Chunk {
  readonly text: string;
  /** Reasoning that the upstream shows. Counted if usage is missing, never sent to the caller. */
  readonly reasoning: string;
  readonly finish: FinishReason | null;
  /** Totals of the call so far. */
  readonly usage: Usage | null;
}

/** What a stream has said so far. */
export interface Reading {
  readonly textBytes: number;
  readonly reasoningBytes: number;
  readonly finish: FinishReason | null;
  readonly usage: Usage | null;
  /** The usage came with the finish or after it, so it is final. */
  readonly isCounted: boolean;
}

export const NOTHING_READ: Reading = {
  ...{ textBytes: 0, reasoningBytes: 0, finish: null, usage: null, isCounted: false },
};

export function read(reading: Reading, { text, reasoning, finish, usage }: Chunk): Reading {
  const finished = finish ?? reading.finish;
  return {
    textBytes: reading.textBytes + bytesOf(text),
    reasoningBytes: reading.reasoningBytes + bytesOf(reasoning),
    finish: finished,
    usage: usage ?? reading.usage,
    isCounted: usage === null ? reading.isCounted : finished !== null,
  };
}

/**
 * Returns what the upstream counted, or else an estimate of what it streamed
 * (docs/decisions/reservations.md#what-a-cut-stream-costs).
 *
 * @param hiddenReasoning tokens that the model thinks without showing them, on average
 */
export function usageOf(
  { textBytes, reasoningBytes, usage, isCounted }: Reading,
  { likelyInput, mostInput, mostOutput }: Bounds,
  hiddenReasoning: number,
): { readonly usage: Usage; readonly isEstimated: boolean } {
  if (usage !== null && isCounted) return { usage, isEstimated: false };
  const output = Math.min(mostOutput, Math.max(usage?.output ?? 0, tokensIn(textBytes)));
  const unseen = textBytes + reasoningBytes > 0 ? hiddenReasoning : 0;
  const thought = Math.max(usage?.reasoning ?? 0, tokensIn(reasoningBytes), unseen);
  const estimate = {
    input: usage?.input ?? Math.min(likelyInput, mostInput),
    cached: usage?.cached ?? 0,
    output,
    reasoning: Math.min(thought, mostOutput - output),
  };
  return { usage: estimate, isEstimated: true };
}
