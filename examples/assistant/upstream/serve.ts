import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FORMATS, type FormatName } from '../gateway/formats.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import type { Scene, Voice } from './scene.ts';

const VOICES: Readonly<Record<FormatName, Voice>> = { openai, anthropic, gemini };

export interface Asked {
  readonly format: FormatName;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether whoever asked went away before the stream's end. */
  isLeft: boolean;
  /** Events that were sent. */
  sent: number;
}

export interface Upstream {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/**
 * A stand-in for the model's provider: it streams what a scene says in the format that it was asked in. Like the real
 * ones it goes on only as fast as the reader takes it.
 *
 * @param sceneOf what to answer a request
 * @param port 0: any that is free
 */
export async function startUpstream(sceneOf: (asked: Asked) => Scene, port = 0): Promise<Upstream> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    answer(req, res, asked, sceneOf).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', listening);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The events of a whole stream, as they are sent. */
export function eventsOf(
  format: FormatName,
  scene: Scene,
  request: Readonly<Record<string, unknown>> = { model: 'standin', stream_options: { include_usage: true } },
): readonly string[] {
  return VOICES[format].eventsOf(scene, request);
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  asked: Asked[],
  sceneOf: (asked: Asked) => Scene,
): Promise<void> {
  const path = req.url ?? '';
  const [pathname = ''] = path.split('?');
  const format = (Object.keys(FORMATS) as FormatName[]).find((name) => VOICES[name].isAt(pathname));
  if (req.method !== 'POST' || format === undefined) {
    res.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}');
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body'];
  const request: Asked = { format, path, headers: req.headers, body, isLeft: false, sent: 0 };
  asked.push(request);
  res.once('close', () => {
    request.isLeft = !res.writableFinished;
  });
  await play(res, VOICES[format], request, sceneOf(request));
}

async function play(res: ServerResponse, voice: Voice, asked: Asked, scene: Scene): Promise<void> {
  const { fault, until, everyMs = 0 } = scene;
  if (fault?.kind === 'status') {
    const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
    res.writeHead(fault.status, { 'content-type': 'application/json', ...wait });
    res.end(JSON.stringify(voice.errorBody(fault.status, 'The stand-in was told to refuse.')));
    return;
  }
  const events = voice.eventsOf(scene, asked.body);
  const last = fault === undefined ? events.length : Math.min(fault.after, events.length);
  await until;
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  res.flushHeaders();
  for (const event of events.slice(0, last)) {
    if (res.destroyed) return;
    if (everyMs > 0 && asked.sent > 0) await sleep(everyMs);
    const isTaken = res.write(event);
    asked.sent += 1;
    if (!isTaken) await drained(res);
  }
  if (fault === undefined) res.end();
  else if (fault.kind === 'error') res.end(voice.errorEvent('The stand-in was told to fail.'));
  // What was written before is to arrive: a reset at once would take it back.
  else if (fault.kind === 'cut') res.write('', () => setImmediate(() => res.destroy()));
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.once('drain', resolve);
    res.once('close', resolve);
  });
}
