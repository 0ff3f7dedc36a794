import { writeEvent } from '../gateway/sse.ts';
import type { FinishReason } from '../gateway/usage.ts';
import type { Voice } from './scene.ts';

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
};

/** As the messages of Anthropic stream: an event with a name for each step, usage at the start and near the end. */
export const anthropic: Voice = {
  isAt: (path) => path.endsWith('/v1/messages'),

  eventsOf({ text, reasoning = [], finish = 'stop', usage }, request) {
    const event = (type: string, rest: object): string => writeEvent(JSON.stringify({ type, ...rest }), type);
    const block = (index: number, empty: object, deltas: readonly object[]): readonly string[] => [
      event('content_block_start', { index, content_block: empty }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ];
    const thinking = reasoning.map((piece) => ({ type: 'thinking_delta', thinking: piece }));
    const hasThinking = thinking.length > 0;
    const before =
      usage === null
        ? {}
        : {
            // Half of what is new to the cache is written to it: the gateway counts both as input.
            input_tokens: Math.ceil(usage.input / 2),
            cache_creation_input_tokens: Math.floor(usage.input / 2),
            cache_read_input_tokens: usage.cached,
          };
    const after =
      usage === null
        ? {}
        : {
            ...before,
            output_tokens: usage.output + usage.reasoning,
            output_tokens_details: { thinking_tokens: usage.reasoning },
          };
    const message = {
      ...{ id: 'msg_standin', type: 'message', role: 'assistant', model: request.model, content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: usage === null ? {} : { ...before, output_tokens: 1, service_tier: 'standard' },
    };
    return [
      event('message_start', { message }),
      ...(hasThinking
        ? block(0, { type: 'thinking', thinking: '', signature: '' }, [
            ...thinking,
            { type: 'signature_delta', signature: 'c2lnbmVk' },
          ])
        : []),
      event('ping', {}),
      ...block(
        hasThinking ? 1 : 0,
        { type: 'text', text: '' },
        text.map((piece) => ({ type: 'text_delta', text: piece })),
      ),
      event('message_delta', {
        delta: { stop_reason: STOP_REASONS[finish], stop_sequence: null },
        usage: after,
      }),
      event('message_stop', {}),
    ];
  },

  errorEvent: (message) =>
    writeEvent(JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message } }), 'error'),

  errorBody: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message },
  }),
};
