import type { Message, Pool, Usage } from './usage.ts';

/** What a pool costs: so many credits for so many tokens. */
export interface Rate {
  readonly credits: number;
  readonly per: number;
}

/** UTF-8 bytes that a token has on average, rather too few: prose in English has 4 to 5, other scripts and code 3. */
const BYTES_PER_TOKEN = 3;
/** What a format puts around a message and around a call, in tokens, rather too many. */
const AROUND_MESSAGE = 16;
const AROUND_CALL = 64;

const encoder = new TextEncoder();

/** How many bytes a text has, where it is counted. */
export function bytesOf(text: string): number {
  return encoder.encode(text).byteLength;
}

/** About how many tokens so many bytes are, rather too many than too few. */
export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** What of a call's input and output can be, before it is made. */
export interface Bounds {
  /** No more input tokens than this: a token has a byte at least. */
  readonly mostInput: number;
  /** About as many, for what nobody has counted. */
  readonly likelyInput: number;
  /** Of output and reasoning together: the upstream is told so. */
  readonly mostOutput: number;
}

export function boundsOf(messages: readonly Message[], mostOutput: number): Bounds {
  const bytes = messages.reduce((sum, { text }) => sum + bytesOf(text), 0);
  return {
    mostInput: bytes + messages.length * AROUND_MESSAGE + AROUND_CALL,
    likelyInput: tokensIn(bytes) + messages.length * 4,
    mostOutput,
  };
}

/** The usage that costs the most within the bounds: all input and all output in the dearer pool of each. */
export function dearestOf({ mostInput, mostOutput }: Bounds, rates: Readonly<Record<Pool, Rate>>): Usage {
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
