import { writeEvent } from './sse.ts';
import type { FinishReason, Usage } from './usage.ts';

/** What a call cost, as the last thing that the answer says: beside OpenAI's own members, whose clients pass it on. */
export interface Receipt {
  /** The hold's name, which the usage page has too. */
  readonly reservation: string;
  /** What was taken; null where that is settled later, or frees itself. */
  readonly credits: number | null;
  readonly usage: Usage;
  /** The upstream did not say what it counted. */
  readonly estimated: boolean;
  /** What can be spent now; null for an account that needs no credits. */
  readonly balance: number | null;
}

/** An answer as OpenAI gives it, in chunks or whole. */
export interface Answer {
  readonly id: string;
  /** Seconds. */
  readonly created: number;
  readonly model: string;
}

type Usages = Readonly<Record<string, unknown>>;

/** `prompt_tokens` and `completion_tokens` are sums, as OpenAI's clients expect them. */
export function openaiUsage({ input, cached, output, reasoning }: Usage): Usages {
  return {
    prompt_tokens: input + cached,
    completion_tokens: output + reasoning,
    total_tokens: input + cached + output + reasoning,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** Writes an answer's chunks; `asksForUsage` as in the request's stream_options. */
export function chunkWriter(answer: Answer, asksForUsage: boolean) {
  const chunk = (choices: readonly object[], rest: object = {}): string =>
    writeEvent(
      JSON.stringify({
        ...{ id: answer.id, object: 'chat.completion.chunk', created: answer.created, model: answer.model },
        choices,
        ...(asksForUsage && { usage: null }),
        ...rest,
      }),
    );
  const choice = (delta: object, finish: FinishReason | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason: finish },
  ];
  return {
    begin: () => chunk(choice({ role: 'assistant', content: '' })),
    text: (content: string) => chunk(choice({ content })),
    /** The finish, the usage where it is asked for, and the end. */
    end: (finish: FinishReason, receipt: Receipt) =>
      [
        chunk(choice({}, finish), { billing: receipt }),
        ...(asksForUsage ? [chunk([], { usage: openaiUsage(receipt.usage), billing: receipt })] : []),
        writeEvent('[DONE]'),
      ].join(''),
    /** A failure after the first word: no status can say it any more. */
    fail: (error: object) => writeEvent(JSON.stringify({ error })),
  };
}

/** The same answer whole, for callers that do not stream. */
export function wholeAnswer(answer: Answer, text: string, finish: FinishReason, receipt: Receipt): object {
  return {
    ...{ id: answer.id, object: 'chat.completion', created: answer.created, model: answer.model },
    choices: [
      {
        ...{ index: 0, finish_reason: finish, logprobs: null },
        message: { role: 'assistant', content: text, refusal: null },
      },
    ],
    usage: openaiUsage(receipt.usage),
    billing: receipt,
  };
}
