import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FinishReason, Usage } from './cost.ts';
import { openaiUsage } from './reply.ts';

// A stand-in for an OpenAI-compatible upstream: for working without an account, and for tests.

/** What to answer to one request. */
export interface Scene {
  /** One event each. */
  readonly text: readonly string[];
  /** Reasoning that is shown, one event each. */
  readonly reasoning?: readonly string[];
  readonly finish?: FinishReason;
  /** Null: it forgets to report it. */
  readonly usage: Usage | null;
  readonly fault?: Fault;
  /** Sends nothing before this. */
  readonly until?: Promise<unknown>;
  /** Milliseconds between events. */
  readonly everyMs?: number;
}

/** How a request goes wrong. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | StreamFault;

interface StreamFault {
  /** The connection breaks, or the stream ends, says that it failed, makes no sense, never ends a line, or stops. */
  readonly kind: 'cut' | 'end' | 'error' | 'garbage' | 'flood' | 'stall';
  /** Events sent before. */
  readonly after: number;
}

export interface Asked {
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** The client closed the connection before the stream's end. */
  isLeft: boolean;
  /** Events sent. */
  sent: number;
}

export interface StandIn {
  /** OpenAI's `baseURL`. */
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** Starts a stand-in on a free port. It streams as fast as its client reads. */
export async function startStandIn(sceneOf: (asked: Asked) => Scene): Promise<StandIn> {
  const asked: Asked[] = [];
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.url !== '/v1/chat/completions') return void res.writeHead(404).end();
    const body = (await json(req)) as Asked['body'];
    const request: Asked = { headers: req.headers, body, isLeft: false, sent: 0 };
    asked.push(request);
    res.once('close', () => {
      request.isLeft = !res.writableFinished;
    });
    await play(res, request, sceneOf(request));
  };
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function play(res: ServerResponse, asked: Asked, scene: Scene): Promise<void> {
  const { fault, until } = scene;
  if (fault?.kind === 'status') {
    const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
    res.writeHead(fault.status, { 'content-type': 'application/json', ...wait });
    res.end(JSON.stringify({ error: { message: 'The stand-in was told to refuse.' } }));
    return;
  }
  await until;
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  res.flushHeaders();
  // It fails if the client leaves.
  await pipeline(sending(res, asked, scene, fault), res).catch(() => undefined);
}

async function* sending(
  res: ServerResponse,
  asked: Asked,
  scene: Scene,
  fault?: StreamFault,
): AsyncGenerator<string> {
  const { everyMs = 0 } = scene;
  const events = eventsOf(scene, String(asked.body.model));
  for (const event of events.slice(0, fault?.after ?? events.length)) {
    if (everyMs > 0 && asked.sent > 0) await sleep(everyMs);
    yield event;
    asked.sent += 1;
  }
  const kind = fault?.kind ?? 'end';
  switch (kind) {
    case 'end':
      return;
    case 'error':
      yield 'data: {"error":{"message":"The stand-in was told to fail."}}\n\n';
      return;
    case 'garbage':
      yield 'data: {"choices":[{"delta":{"content":7}}],"usage":"much"}\n\ndata: {"cho\n\n';
      return;
    case 'flood':
      yield 'data: ';
      while (true) yield 'x'.repeat(1_000_000);
    case 'cut':
      // What was written before has to arrive: an immediate reset would take it back.
      res.write('', () => setImmediate(() => res.destroy()));
      return new Promise(() => {});
    case 'stall':
      return new Promise(() => {});
    default:
      kind satisfies never;
  }
}

/** Returns the events of a whole stream. */
export function eventsOf({ text, reasoning = [], finish = 'stop', usage }: Scene, model = 'any'): string[] {
  const event = (fields: object): string => {
    const chunk = { id: 'chatcmpl-standin', object: 'chat.completion.chunk', created: 1_700_000_000, model };
    return `data: ${JSON.stringify({ ...chunk, usage: null, ...fields })}\n\n`;
  };
  const delta = (delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return [
    delta({ role: 'assistant', content: '', refusal: null }),
    ...reasoning.map((reasoning_content) => delta({ reasoning_content })),
    ...text.map((content) => delta({ content })),
    delta({}, finish),
    ...(usage === null ? [] : [event({ choices: [], usage: openaiUsage(usage) })]),
    'data: [DONE]\n\n',
  ];
}

/** Describes the question, a token per event. */
export function echo({ messages }: Asked['body']): Scene {
  const asked = JSON.stringify(messages ?? '');
  const words = `You sent ${asked.length} characters to the stand-in, which is not a model. `;
  const text = words.repeat(3).match(/\S+\s*/g) ?? [];
  const input = Math.ceil(asked.length / 4);
  return { text, usage: { input, cached: 0, output: text.length, reasoning: 0 } };
}
