import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import type { Assistant, Price } from '../function/call.ts';
import { createHandler } from '../function/handler.ts';
import { MODELS } from '../function/models.ts';
import type { Scene } from '../upstream/scene.ts';
import { type Asked, startUpstream, type Upstream } from '../upstream/serve.ts';

export interface Served {
  /** Of `openai`: what is in front of /chat/completions. */
  readonly baseURL: string;
  readonly upstream: Upstream;
  /** What the next calls get. */
  play(scene: Scene | ((asked: Asked) => Scene)): void;
  client(token: string): OpenAI;
  readonly lines: Array<Readonly<Record<string, unknown>>>;
}

/** The function on a port of its own, with the stand-in behind it, until the test or the file ends. */
export async function serveAssistant(
  charging: Assistant['charging'],
  price: Price,
  more: Partial<Assistant> = {},
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Served> {
  let sceneOf: (asked: Asked) => Scene = () => ({ text: ['Hello'], usage: null });
  const upstream = await startUpstream((asked) => sceneOf(asked));
  const at = (path: string) => ({ url: `${upstream.url}${path}`, key: 'owner-key' });
  const lines: Array<Readonly<Record<string, unknown>>> = [];
  const server = createServer(
    createHandler({
      charging,
      models: MODELS,
      upstreams: { openai: at('/v1'), anthropic: at(''), gemini: at('') },
      priceOf: () => price,
      ...{ idleMs: 5_000, callMs: 20_000, now: () => Date.now(), log: (line) => lines.push(line) },
      ...more,
    }),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  finished(async () => {
    server.closeAllConnections();
    server.close();
    await upstream.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    ...{ baseURL, upstream, lines },
    play(scene) {
      sceneOf = typeof scene === 'function' ? scene : () => scene;
    },
    client: (apiKey) => new OpenAI({ apiKey, baseURL, maxRetries: 0 }),
  };
}

/** How an answer came through, as the caller sees it. */
export interface Answered {
  readonly text: string;
  readonly finish: string | null;
  readonly usage: OpenAI.CompletionUsage | null;
  readonly billing: Readonly<Record<string, unknown>> | null;
}

/** Streams an answer through the SDK as any program does. */
export async function askFor(client: OpenAI, model = 'small', content = 'Hello'): Promise<Answered> {
  const stream = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content }],
    stream: true,
    stream_options: { include_usage: true },
  });
  let answered: Answered = { text: '', finish: null, usage: null, billing: null };
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    answered = {
      text: answered.text + (choice?.delta.content ?? ''),
      finish: choice?.finish_reason ?? answered.finish,
      usage: chunk.usage ?? answered.usage,
      billing: 'billing' in chunk ? (chunk.billing as Answered['billing']) : answered.billing,
    };
  }
  return answered;
}
