import * as v from 'valibot';
import { parseJson, Tokens } from './json.ts';
import { type FinishReason, type Format, type Part, systemTextOf } from './usage.ts';

// Anthropic's messages.

const Usage = v.object({
  input_tokens: v.nullish(Tokens),
  cache_creation_input_tokens: v.nullish(Tokens),
  cache_read_input_tokens: v.nullish(Tokens),
  output_tokens: v.nullish(Tokens),
  output_tokens_details: v.nullish(v.object({ thinking_tokens: v.nullish(Tokens) })),
});

/** Usage that is damaged is as if it were missing, and the event's text still counts. */
const SaidUsage = v.fallback(v.nullish(Usage), null);

const Event = v.variant('type', [
  v.object({ type: v.literal('message_start'), message: v.object({ usage: SaidUsage }) }),
  v.object({
    type: v.literal('content_block_delta'),
    delta: v.object({ text: v.nullish(v.string()), thinking: v.nullish(v.string()) }),
  }),
  v.object({
    type: v.literal('message_delta'),
    delta: v.object({ stop_reason: v.nullish(v.string()) }),
    usage: SaidUsage,
  }),
  v.object({
    type: v.literal('error'),
    error: v.looseObject({ message: v.fallback(v.string(), 'no message') }),
  }),
]);

const API_VERSION = '2023-06-01';

export const anthropic: Format = {
  requestOf({ model, messages, maxOutput, temperature, topP, stop }, key) {
    const system = systemTextOf(messages);
    return {
      path: '/v1/messages',
      headers: { 'x-api-key': key, 'anthropic-version': API_VERSION },
      body: {
        model,
        max_tokens: maxOutput,
        stream: true,
        messages: messages
          .filter(({ role }) => role !== 'system')
          .map(({ role, text }) => ({ role, content: text })),
        ...(system !== '' && { system }),
        ...(temperature !== undefined && { temperature: Math.min(temperature, 1) }),
        ...(topP !== undefined && { top_p: topP }),
        ...(stop !== undefined && { stop_sequences: stop }),
      },
    };
  },

  partsOf(data) {
    const event = parseJson(Event, data);
    switch (event?.type) {
      case 'message_start':
        return usageOf(event.message.usage);
      case 'content_block_delta': {
        const { text, thinking } = event.delta;
        return [
          ...(thinking ? [{ kind: 'reasoning', text: thinking } as const] : []),
          ...(text ? [{ kind: 'text', text } as const] : []),
        ];
      }
      case 'message_delta': {
        const reason = event.delta.stop_reason;
        return [
          ...(reason ? [{ kind: 'finish', reason: finishOf(reason) } as const] : []),
          ...usageOf(event.usage),
        ];
      }
      case 'error':
        return [{ kind: 'error', message: event.error.message }];
      case undefined:
        return [];
      default:
        return event satisfies never;
    }
  },
};

/**
 * `input_tokens` holds neither what was read from the cache nor what was written to it; the latter is input here, as
 * nothing of it was saved. `output_tokens` holds the thinking. Totals so far, and null where the event does not say.
 */
function usageOf(said: v.InferOutput<typeof SaidUsage>): readonly Part[] {
  if (!said) return [];
  const { input_tokens: fresh, cache_creation_input_tokens: written, cache_read_input_tokens: cached } = said;
  const total = said.output_tokens;
  const reasoning = Math.min(said.output_tokens_details?.thinking_tokens ?? 0, total ?? 0);
  const usage = {
    ...(typeof fresh === 'number' && { input: fresh + (written ?? 0) }),
    ...(typeof cached === 'number' && { cached }),
    ...(typeof total === 'number' && { output: total - reasoning, reasoning }),
  };
  return [{ kind: 'usage', usage }];
}

function finishOf(reason: string): FinishReason {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return reason === 'refusal' ? 'content_filter' : 'stop';
}
