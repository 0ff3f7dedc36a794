import * as v from 'valibot';
import { parseJson, Tokens } from './json.ts';
import { type FinishReason, type Format, type Part, systemTextOf } from './usage.ts';

// Gemini's streamGenerateContent, as server-sent events.

const Usage = v.object({
  promptTokenCount: v.nullish(Tokens),
  cachedContentTokenCount: v.nullish(Tokens),
  toolUsePromptTokenCount: v.nullish(Tokens),
  candidatesTokenCount: v.nullish(Tokens),
  thoughtsTokenCount: v.nullish(Tokens),
});

const Chunk = v.object({
  candidates: v.nullish(
    v.array(
      v.object({
        content: v.nullish(
          v.object({
            parts: v.nullish(
              v.array(v.object({ text: v.nullish(v.string()), thought: v.nullish(v.boolean()) })),
            ),
          }),
        ),
        finishReason: v.nullish(v.string()),
      }),
    ),
  ),
  promptFeedback: v.nullish(v.object({ blockReason: v.nullish(v.string()) })),
  usageMetadata: v.fallback(v.nullish(Usage), null),
  error: v.nullish(v.looseObject({ message: v.fallback(v.string(), 'no message') })),
});

export const gemini: Format = {
  requestOf({ model, messages, maxOutput, temperature, topP, stop }, key) {
    const system = systemTextOf(messages);
    return {
      path: `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
      headers: { 'x-goog-api-key': key },
      body: {
        contents: messages
          .filter(({ role }) => role !== 'system')
          .map(({ role, text }) => ({ role: role === 'user' ? 'user' : 'model', parts: [{ text }] })),
        ...(system !== '' && { systemInstruction: { parts: [{ text: system }] } }),
        generationConfig: {
          maxOutputTokens: maxOutput,
          ...(temperature !== undefined && { temperature }),
          ...(topP !== undefined && { topP }),
          ...(stop !== undefined && { stopSequences: stop }),
        },
      },
    };
  },

  partsOf(data) {
    const chunk = parseJson(Chunk, data);
    if (chunk === null) return [];
    if (chunk.error) return [{ kind: 'error', message: chunk.error.message }];
    const [candidate] = chunk.candidates ?? [];
    const said = (candidate?.content?.parts ?? []).flatMap(({ text, thought }): readonly Part[] =>
      text ? [{ kind: thought ? 'reasoning' : 'text', text }] : [],
    );
    const blocked = chunk.promptFeedback?.blockReason ? 'SAFETY' : null;
    const reason = candidate?.finishReason ?? blocked;
    return [
      ...said,
      ...(reason ? [{ kind: 'finish', reason: finishOf(reason) } as const] : []),
      ...usageOf(chunk.usageMetadata),
    ];
  },
};

/** `promptTokenCount` holds the cached ones too; `candidatesTokenCount` does not hold the thoughts. */
function usageOf(said: v.InferOutput<typeof Chunk>['usageMetadata']): readonly Part[] {
  if (!said) return [];
  const { promptTokenCount: prompt, candidatesTokenCount: output, thoughtsTokenCount: reasoning } = said;
  const cached = Math.min(said.cachedContentTokenCount ?? 0, prompt ?? 0);
  const usage = {
    ...(typeof prompt === 'number' && {
      input: prompt - cached + (said.toolUsePromptTokenCount ?? 0),
      cached,
    }),
    ...(typeof output === 'number' && { output }),
    ...(typeof reasoning === 'number' && { reasoning }),
  };
  return [{ kind: 'usage', usage }];
}

function finishOf(reason: string): FinishReason {
  if (reason === 'STOP') return 'stop';
  return reason === 'MAX_TOKENS' ? 'length' : 'content_filter';
}
