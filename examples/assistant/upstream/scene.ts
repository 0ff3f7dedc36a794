import type { FinishReason, Usage } from '../gateway/usage.ts';

/** What the stand-in answers to one request, whatever the format. */
export interface Scene {
  /** Pieces of the answer: an event each. */
  readonly text: readonly string[];
  /** Pieces of reasoning that are shown, where the format shows any. */
  readonly reasoning?: readonly string[];
  readonly finish?: FinishReason;
  /** Null: the upstream forgets to say it. */
  readonly usage: Usage | null;
  readonly fault?: Fault;
  /** Nothing comes before this. */
  readonly until?: Promise<unknown>;
  /** Between events; milliseconds. */
  readonly everyMs?: number;
}

/** How a request goes wrong. `after`: so many events are sent before. */
export type Fault =
  /** An answer with this status instead of a stream. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  /** The connection breaks. */
  | { readonly kind: 'cut'; readonly after: number }
  /** An error in the stream, in the format's own way. */
  | { readonly kind: 'error'; readonly after: number }
  /** Nothing more comes, and the connection stays open. */
  | { readonly kind: 'stall'; readonly after: number };

/** How the stand-in speaks in one format. */
export interface Voice {
  /** Whether a request is one of this format. */
  readonly isAt: (path: string) => boolean;
  /** The stream's events, each as it is sent. */
  readonly eventsOf: (scene: Scene, request: Readonly<Record<string, unknown>>) => readonly string[];
  /** An error in the middle of a stream, as it is sent. */
  readonly errorEvent: (message: string) => string;
  /** The body of a refusal. */
  readonly errorBody: (status: number, message: string) => object;
}
