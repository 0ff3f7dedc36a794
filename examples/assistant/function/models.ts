import type { FormatName } from '../gateway/formats.ts';

/** A model as callers know it: what it is and how much it may answer is the server's to say. */
export interface Model {
  readonly format: FormatName;
  /** The upstream's own name of it. */
  readonly upstreamModel: string;
  /** What it costs: a feature of billing.config.ts with `hold` and `rates`. */
  readonly feature: string;
  /** Tokens that come back at most, reasoning among them. */
  readonly maxOutput: number;
  /**
   * Tokens that it thinks before its first word without showing them, on average: what a stream is charged that its
   * caller leaves before the upstream has counted. 0 for a model that does not think, or shows it.
   */
  readonly hiddenReasoning: number;
}

export type Models = Readonly<Record<string, Model>>;

/** Change the upstream's names freely: callers do not see them. */
export const MODELS: Models = {
  small: {
    format: 'openai',
    upstreamModel: 'gpt-5-mini',
    feature: 'chat',
    maxOutput: 1_024,
    hiddenReasoning: 128,
  },
  balanced: {
    format: 'anthropic',
    upstreamModel: 'claude-haiku-4-5',
    feature: 'chat',
    maxOutput: 1_024,
    hiddenReasoning: 0,
  },
  long: {
    format: 'gemini',
    upstreamModel: 'gemini-2.5-flash',
    feature: 'chat',
    maxOutput: 2_048,
    hiddenReasoning: 256,
  },
};
