import { writeEvent } from '../gateway/sse.ts';
import type { FinishReason, Usage } from '../gateway/usage.ts';
import type { Voice } from './scene.ts';

const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

/** As Gemini's streamGenerateContent streams with `alt=sse`: no last word, the stream simply ends. */
export const gemini: Voice = {
  isAt: (path) => path.includes(':streamGenerateContent'),

  eventsOf({ text, reasoning = [], finish = 'stop', usage }) {
    const thoughts = reasoning.map((piece) => ({ text: piece, thought: true }));
    const parts = [...thoughts, ...text.map((piece) => ({ text: piece }))];
    const chunk = (part: object, finishReason: string | null, usageMetadata: object | null): string =>
      writeEvent(
        JSON.stringify({
          candidates: [
            {
              content: { parts: [part], role: 'model' },
              ...(finishReason !== null && { finishReason }),
              index: 0,
            },
          ],
          ...(usageMetadata !== null && { usageMetadata }),
          modelVersion: 'gemini-standin',
          responseId: 'standin',
        }),
      );
    return [
      // What was asked is known at once, what comes back is not.
      ...parts.map((part) => chunk(part, null, usage === null ? null : promptOf(usage))),
      chunk({ text: '' }, FINISH_REASONS[finish], usage === null ? null : usageOf(usage)),
    ];
  },

  errorEvent: (message) =>
    writeEvent(JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } })),

  errorBody: (status, message) => ({
    error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL' },
  }),
};

function promptOf({ input, cached }: Usage): object {
  return { promptTokenCount: input + cached, ...(cached > 0 && { cachedContentTokenCount: cached }) };
}

function usageOf(usage: Usage): object {
  const { input, cached, output, reasoning } = usage;
  return {
    ...promptOf(usage),
    candidatesTokenCount: output,
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    totalTokenCount: input + cached + output + reasoning,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: input + cached }],
  };
}
