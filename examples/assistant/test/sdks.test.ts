import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scene } from '../upstream/scene.ts';
import { startUpstream, type Upstream } from '../upstream/serve.ts';

// What the official SDKs read from the stand-in: what it streams is what the providers stream, as far as they can tell.

const USAGE = { input: 21, cached: 34, output: 8, reasoning: 13 };
const SCENE: Scene = { text: ['Grüße', ' aus 東京', '.'], reasoning: ['Hm.'], usage: USAGE };
const WHOLE = 'Grüße aus 東京.';
const ASKED = { role: 'user', content: 'Hello' } as const;

describe('the stand-in upstream', () => {
  let scene: Scene = SCENE;
  let upstream: Upstream;
  const options = () => ({ apiKey: 'any', baseURL: upstream.url, maxRetries: 0 });
  beforeAll(async () => {
    upstream = await startUpstream(() => scene);
  });
  afterAll(() => upstream.close());

  const openai = async () => {
    const stream = await new OpenAI(options()).chat.completions.create({
      model: 'any',
      messages: [ASKED],
      stream: true,
      stream_options: { include_usage: true },
    });
    let [text, finish]: [string, string | null] = ['', null];
    let usage: OpenAI.CompletionUsage | null | undefined = null;
    for await (const { choices, usage: said } of stream) {
      text += choices[0]?.delta.content ?? '';
      finish = choices[0]?.finish_reason ?? finish;
      usage = said ?? usage;
    }
    return { text, finish, usage };
  };
  const anthropic = async () => {
    const stream = new Anthropic(options()).messages.stream({
      model: 'any',
      max_tokens: 9,
      messages: [ASKED],
    });
    const { content, stop_reason, usage } = await stream.finalMessage();
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    return { text, finish: stop_reason, usage };
  };
  const gemini = async () => {
    const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: upstream.url } });
    const stream = await client.models.generateContentStream({ model: 'any', contents: 'Hello' });
    let text = '';
    let last: Awaited<ReturnType<typeof client.models.generateContent>> | undefined;
    for await (const chunk of stream) {
      text += chunk.text ?? '';
      last = chunk;
    }
    return { text, finish: last?.candidates?.[0]?.finishReason, usage: last?.usageMetadata };
  };

  it('is read by the SDK of OpenAI', async () => {
    expect(await openai()).toMatchObject({
      text: WHOLE,
      finish: 'stop',
      usage: {
        prompt_tokens: 55,
        completion_tokens: 21,
        total_tokens: 76,
        prompt_tokens_details: { cached_tokens: 34 },
        completion_tokens_details: { reasoning_tokens: 13 },
      },
    });
  });

  it('is read by the SDK of Anthropic', async () => {
    expect(await anthropic()).toMatchObject({
      text: WHOLE,
      finish: 'end_turn',
      usage: {
        input_tokens: 11,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 34,
        output_tokens: 21,
      },
    });
  });

  it('is read by the SDK of Google', async () => {
    expect(await gemini()).toMatchObject({
      text: WHOLE,
      finish: 'STOP',
      usage: {
        promptTokenCount: 55,
        cachedContentTokenCount: 34,
        candidatesTokenCount: 8,
        thoughtsTokenCount: 13,
        totalTokenCount: 76,
      },
    });
  });

  it.each([
    ['OpenAI', openai],
    ['Anthropic', anthropic],
    ['Google', gemini],
  ])('fails as the SDK of %s expects it: refused, in the middle, cut', async (_name, ask) => {
    scene = { ...SCENE, fault: { kind: 'status', status: 429 } };
    await expect(ask()).rejects.toMatchObject({ status: 429 });
    scene = { ...SCENE, fault: { kind: 'status', status: 500 } };
    await expect(ask()).rejects.toMatchObject({ status: 500 });
    scene = { ...SCENE, fault: { kind: 'error', after: 2 } };
    await expect(ask()).rejects.toThrow(/told to fail/);
    scene = { ...SCENE, fault: { kind: 'cut', after: 2 } };
    await expect(ask()).rejects.toThrow();
    scene = SCENE;
  });
});
