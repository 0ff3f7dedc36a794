import { writeEvent } from '../gateway/sse.ts';
import type { Usage } from '../gateway/usage.ts';
import type { Voice } from './scene.ts';

/** As the chat completions of OpenAI stream: platform.openai.com/docs/api-reference/chat-streaming. */
export const openai: Voice = {
  isAt: (path) => path.endsWith('/chat/completions'),

  eventsOf({ text, reasoning = [], finish = 'stop', usage }, request) {
    const asksForUsage =
      typeof request.stream_options === 'object' &&
      request.stream_options !== null &&
      'include_usage' in request.stream_options &&
      request.stream_options.include_usage === true;
    const chunk = (choices: readonly object[], rest: object = {}): string =>
      writeEvent(
        JSON.stringify({
          id: 'chatcmpl-standin',
          object: 'chat.completion.chunk',
          created: 1_700_000_000,
          model: request.model,
          service_tier: 'default',
          system_fingerprint: 'fp_standin',
          choices,
          ...(asksForUsage && { usage: null }),
          obfuscation: 'x',
          ...rest,
        }),
      );
    const delta = (said: object, finish_reason: string | null = null) =>
      chunk([{ index: 0, delta: said, logprobs: null, finish_reason }]);
    return [
      delta({ role: 'assistant', content: '', refusal: null }),
      // Not OpenAI's own: how others of this format show what the model thinks.
      ...reasoning.map((piece) => delta({ reasoning_content: piece })),
      ...text.map((content) => delta({ content })),
      delta({}, finish),
      ...(asksForUsage && usage !== null ? [chunk([], { usage: usageOf(usage) })] : []),
      writeEvent('[DONE]'),
    ];
  },

  errorEvent: (message) =>
    writeEvent(JSON.stringify({ error: { message, type: 'server_error', code: null } })),

  errorBody: (status, message) => ({
    error: {
      message,
      type: status === 429 ? 'rate_limit_exceeded' : 'server_error',
      param: null,
      code: null,
    },
  }),
};

function usageOf({ input, cached, output, reasoning }: Usage): object {
  return {
    prompt_tokens: input + cached,
    completion_tokens: output + reasoning,
    total_tokens: input + cached + output + reasoning,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
