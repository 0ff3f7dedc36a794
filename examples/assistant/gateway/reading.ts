import { type Bounds, bytesOf, tokensIn } from './bounds.ts';
import type { FinishReason, Part, PartialUsage, Usage } from './usage.ts';

/** What is known of a stream, from the parts that were read. */
export interface Reading {
  readonly textBytes: number;
  readonly reasoningBytes: number;
  readonly finish: FinishReason | null;
  readonly usage: PartialUsage;
  /** The upstream said what it counted once its answer was whole: nothing is left to be guessed. */
  readonly isCounted: boolean;
  readonly error: string | null;
}

export const NOTHING_READ: Reading = {
  ...{ textBytes: 0, reasoningBytes: 0, finish: null, usage: {}, isCounted: false, error: null },
};

export function read(reading: Reading, part: Part): Reading {
  switch (part.kind) {
    case 'text':
      return { ...reading, textBytes: reading.textBytes + bytesOf(part.text) };
    case 'reasoning':
      return { ...reading, reasoningBytes: reading.reasoningBytes + bytesOf(part.text) };
    case 'finish':
      return { ...reading, finish: part.reason };
    case 'usage': {
      const usage = { ...reading.usage, ...part.usage };
      // Totals from before the finish grow still; every format says how many came back only with it or behind it.
      const isCounted =
        reading.finish !== null && part.usage.output !== undefined && usage.input !== undefined;
      return { ...reading, usage, isCounted };
    }
    case 'error':
      return { ...reading, error: part.message };
    default:
      return part satisfies never;
  }
}

/** How a call came to its end. */
export type Outcome =
  /** Nobody got a word of it: the upstream refused, could not be reached, or failed before. */
  | 'refused'
  /** The stream came to its own end. */
  | 'finished'
  /** It broke, said that it failed, or took too long. */
  | 'failed'
  /** The caller went away before the end, once the upstream had been asked. */
  | 'left';

/** How a stream ended that nobody left. What says why it finished is whole, though its last event may be missing. */
export function outcomeOf({ finish, error }: Reading): 'finished' | 'failed' {
  return finish !== null && error === null ? 'finished' : 'failed';
}

/** What becomes of the credits that are held for a call. */
export type Ending =
  | { readonly kind: 'release' }
  | { readonly kind: 'settle'; readonly usage: Usage; readonly isEstimated: boolean };

/**
 * How a call is charged, once, whatever happened (docs/decisions/reservations.md): what the upstream
 * counted where it said so; nothing where the upstream's own failure left the caller without a word; else an estimate of
 * what was streamed. Who leaves pays for what they sent, since the upstream has read it by then.
 *
 * @param hiddenReasoning tokens that the model thinks unseen, as its owner reckons, for streams cut before they are told
 */
export function endingOf(
  outcome: Outcome,
  reading: Reading,
  bounds: Bounds,
  hiddenReasoning: number,
): Ending {
  const { textBytes, reasoningBytes, isCounted } = reading;
  if (outcome === 'refused' || (outcome === 'failed' && textBytes === 0)) return { kind: 'release' };
  const { input = null, cached = 0, output = 0, reasoning = 0 } = reading.usage;
  if (isCounted) {
    return { kind: 'settle', usage: { input: input ?? 0, cached, output, reasoning }, isEstimated: false };
  }
  const spoken = Math.min(bounds.mostOutput, Math.max(output, tokensIn(textBytes)));
  const unseen = textBytes + reasoningBytes > 0 ? hiddenReasoning : 0;
  const thought = Math.max(reasoning, tokensIn(reasoningBytes), unseen);
  const usage = {
    input: input ?? Math.min(bounds.likelyInput, bounds.mostInput),
    cached,
    output: spoken,
    reasoning: Math.min(thought, bounds.mostOutput - spoken),
  };
  return { kind: 'settle', usage, isEstimated: true };
}
