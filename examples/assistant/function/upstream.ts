import OpenAI from 'openai';
import * as v from 'valibot';
import type { ChatRequest } from './chat-request.ts';
import type { Chunk, FinishReason, Usage } from './cost.ts';

/** What goes to the upstream: its own name of the model, and the server's limit. */
export type ModelCall = Pick<ChatRequest, 'messages' | 'temperature' | 'topP' | 'stop'> & {
  readonly model: string;
  readonly maxOutput: number;
};

export type Opened =
  | { readonly ok: true; readonly chunks: AsyncIterable<Chunk> }
  /** Status is null if no answer came. */
  | { readonly ok: false; readonly status: number | null; readonly retryAfterSeconds: number | null };

/** Asks the upstream. Aborting the signal ends the stream quietly. */
export type Upstream = (call: ModelCall, signal: AbortSignal) => Promise<Opened>;

interface UpstreamOptions {
  /** The address before /chat/completions. */
  readonly baseURL: string | undefined;
  /** The owner's key. */
  readonly apiKey: string;
  /** How long the upstream may send nothing. */
  readonly idleMs: number;
}

/** Bytes of one answer. The package has no limit, and an upstream could fill the function's memory. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** Any upstream that speaks OpenAI's chat completions. */
export function createUpstream({ baseURL, apiKey, idleMs }: UpstreamOptions): Upstream {
  const client = new OpenAI({
    ...{ apiKey, baseURL, maxRetries: 0, logLevel: 'off' },
    fetchOptions: { redirect: 'error' },
    fetch: boundedFetch,
  });
  return async ({ model, messages, maxOutput, temperature, topP, stop }, signal) => {
    const idle = idleTimer(idleMs);
    try {
      const stream = await client.chat.completions.create(
        {
          model,
          messages: messages.map(({ role, text: content }) => ({ role, content })),
          max_completion_tokens: maxOutput,
          stream: true,
          stream_options: { include_usage: true },
          ...(temperature !== undefined && { temperature }),
          ...(topP !== undefined && { top_p: topP }),
          ...(stop !== undefined && { stop: [...stop] }),
        },
        { signal: AbortSignal.any([signal, idle.signal]) },
      );
      return { ok: true, chunks: chunksOf(stream, idle) };
    } catch (error) {
      idle.stop();
      const { status = null, headers = null } = error instanceof OpenAI.APIError ? error : {};
      const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
      return { ok: false, status, retryAfterSeconds: Number.isFinite(seconds) ? seconds : null };
    }
  };
}

async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  let size = 0;
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        size += bytes.length;
        if (size > MAX_ANSWER) controller.error(new RangeError('The upstream’s answer is too large.'));
        else controller.enqueue(bytes);
      },
    }),
  );
  return new Response(body ?? null, response);
}

type IdleTimer = ReturnType<typeof idleTimer>;

/** Runs from the start; aborts unless stopped in time. */
function idleTimer(ms: number) {
  const controller = new AbortController();
  const start = () => setTimeout(() => controller.abort(new Error('The upstream is silent.')), ms);
  let timer = start();
  return {
    signal: controller.signal,
    stop: () => clearTimeout(timer),
    restart: () => {
      timer = start();
    },
  };
}

async function* chunksOf(stream: AsyncIterable<unknown>, idle: IdleTimer): AsyncGenerator<Chunk> {
  try {
    for await (const said of stream) {
      // A slow caller isn't a silent upstream.
      idle.stop();
      yield chunkOf(said);
      idle.restart();
    }
  } finally {
    idle.stop();
  }
}

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const SaidUsage = v.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: v.nullish(v.object({ cached_tokens: v.nullish(Count) })),
  completion_tokens_details: v.nullish(v.object({ reasoning_tokens: v.nullish(Count) })),
});
const Text = v.fallback(v.nullish(v.string()), null);
/** Each part is checked alone: damaged usage doesn't lose the text beside it. */
const SaidChunk = v.object({
  choices: v.nullish(
    v.array(
      v.object({
        // `reasoning_content` isn't OpenAI's: other upstreams show a model's reasoning in it.
        delta: v.nullish(v.object({ content: Text, reasoning_content: Text })),
        finish_reason: Text,
      }),
    ),
  ),
  usage: v.fallback(v.nullish(SaidUsage), null),
});

/** Reads a chunk. Whatever makes no sense says nothing. */
export function chunkOf(said: unknown): Chunk {
  const { success, output } = v.safeParse(SaidChunk, said);
  const { choices = null, usage = null } = success ? output : {};
  const [choice] = choices ?? [];
  return {
    text: choice?.delta?.content ?? '',
    reasoning: choice?.delta?.reasoning_content ?? '',
    finish: choice?.finish_reason ? finishOf(choice.finish_reason) : null,
    usage: usage && poolsOf(usage),
  };
}

/** `prompt_tokens` includes the cached tokens, `completion_tokens` those of reasoning. */
function poolsOf(usage: v.InferOutput<typeof SaidUsage>): Usage {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  const cached = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, prompt);
  const reasoning = Math.min(usage.completion_tokens_details?.reasoning_tokens ?? 0, completion);
  return { input: prompt - cached, cached, output: completion - reasoning, reasoning };
}

function finishOf(reason: string): FinishReason {
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}
