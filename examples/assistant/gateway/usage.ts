/** The pools that a model's tokens fall into. A token is in exactly one: what was cached is not also input. */
export const POOLS = ['input', 'cached', 'output', 'reasoning'] as const;
export type Pool = (typeof POOLS)[number];

/** Tokens of one call, by pool. */
export type Usage = Readonly<Record<Pool, number>>;

/** What is known so far: an upstream may name its pools one after the other, or only some. */
export type PartialUsage = Readonly<Partial<Record<Pool, number>>>;

/** What an upstream asks of whoever streams from it, in words that all formats share. */
export type FinishReason = 'stop' | 'length' | 'content_filter';

/** What one event of an upstream's stream says. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** Reasoning that the upstream shows: it is counted where usage is missing, and passed on to nobody. */
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'finish'; readonly reason: FinishReason }
  /** Totals of the whole call up to here: a later one replaces an earlier one, pool by pool. */
  | { readonly kind: 'usage'; readonly usage: PartialUsage }
  /** The upstream gave up in the middle. Its own words are for the log. */
  | { readonly kind: 'error'; readonly message: string };

/** A call as every format is asked for it: models and limits are the server's. */
export interface ModelCall {
  /** The upstream's own name of the model. */
  readonly model: string;
  readonly messages: readonly Message[];
  /** The most tokens that may come back, reasoning among them. */
  readonly maxOutput: number;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

/** What goes to an upstream: always a streamed call, so that there is one way of reading it. */
export interface UpstreamRequest {
  /** Behind the upstream's base address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** One wire format: how a call is asked for, and what an event of its stream says. */
export interface Format {
  readonly requestOf: (call: ModelCall, key: string) => UpstreamRequest;
  /** Never throws: an event that makes no sense says nothing. */
  readonly partsOf: (data: string) => readonly Part[];
}

/** The system's messages in one text, for formats that keep it apart from the conversation. */
export function systemTextOf(messages: readonly Message[]): string {
  return messages
    .filter(({ role }) => role === 'system')
    .map(({ text }) => text)
    .join('\n\n');
}
