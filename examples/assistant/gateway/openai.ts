import * as v from 'valibot';
import { parseJson, Tokens } from './json.ts';
import type { FinishReason, Format, Part } from './usage.ts';

// OpenAI's chat completions, and whoever speaks like them.

const Usage = v.object({
  prompt_tokens: Tokens,
  completion_tokens: Tokens,
  prompt_tokens_details: v.nullish(v.object({ cached_tokens: v.nullish(Tokens) })),
  completion_tokens_details: v.nullish(v.object({ reasoning_tokens: v.nullish(Tokens) })),
});

const Chunk = v.object({
  choices: v.nullish(
    v.array(
      v.object({
        delta: v.nullish(
          v.object({ content: v.nullish(v.string()), reasoning_content: v.nullish(v.string()) }),
        ),
        finish_reason: v.nullish(v.string()),
      }),
    ),
  ),
  usage: v.nullish(v.unknown()),
  error: v.nullish(v.looseObject({ message: v.fallback(v.string(), 'no message') })),
});

export const openai: Format = {
  requestOf: ({ model, messages, maxOutput, temperature, topP, stop }, key) => ({
    path: '/chat/completions',
    headers: { authorization: `Bearer ${key}` },
    body: {
      model,
      messages: messages.map(({ role, text }) => ({ role, content: text })),
      max_completion_tokens: maxOutput,
      stream: true,
      stream_options: { include_usage: true },
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(stop !== undefined && { stop }),
    },
  }),

  partsOf(data) {
    const chunk = parseJson(Chunk, data);
    if (chunk === null) return [];
    if (chunk.error) return [{ kind: 'error', message: chunk.error.message }];
    const [choice] = chunk.choices ?? [];
    const { content, reasoning_content: reasoning } = choice?.delta ?? {};
    return [
      ...(reasoning ? [{ kind: 'reasoning', text: reasoning } as const] : []),
      ...(content ? [{ kind: 'text', text: content } as const] : []),
      ...(choice?.finish_reason ? [{ kind: 'finish', reason: finishOf(choice.finish_reason) } as const] : []),
      ...usageOf(chunk.usage),
    ];
  },
};

/** `prompt_tokens` holds the cached ones too, `completion_tokens` those of reasoning. */
function usageOf(said: unknown): readonly Part[] {
  const { success, output } = v.safeParse(Usage, said);
  if (!success) return [];
  const cached = Math.min(output.prompt_tokens_details?.cached_tokens ?? 0, output.prompt_tokens);
  const thought = output.completion_tokens_details?.reasoning_tokens ?? 0;
  const reasoning = Math.min(thought, output.completion_tokens);
  const usage = {
    ...{ input: output.prompt_tokens - cached, cached },
    ...{ output: output.completion_tokens - reasoning, reasoning },
  };
  return [{ kind: 'usage', usage }];
}

function finishOf(reason: string): FinishReason {
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop';
}
