import type catalog from '../billing.config.ts';

/** A model as callers know it. The server decides what it is and how long its answers may be. */
export interface Model {
  /** The upstream's own name of it. Callers don't see it. */
  readonly upstreamModel: string;
  /** What it costs: a feature of billing.config.ts with `hold` and `rates`. */
  readonly feature: keyof typeof catalog.features & string;
  /** Most tokens of an answer, including reasoning. */
  readonly maxOutput: number;
  /**
   * Tokens that it thinks on average before its first word, without showing them. A stream that is cut before the
   * upstream has counted is charged these. 0 for a model that doesn't think, or shows it.
   */
  readonly hiddenReasoning: number;
}

export type Models = Readonly<Record<string, Model>>;

export const MODELS: Models = {
  small: { upstreamModel: 'gpt-5-mini', feature: 'chat', maxOutput: 1_024, hiddenReasoning: 128 },
  long: { upstreamModel: 'gpt-5-mini', feature: 'chat', maxOutput: 2_048, hiddenReasoning: 256 },
};
