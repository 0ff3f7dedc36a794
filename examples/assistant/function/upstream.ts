import { FORMATS, type FormatName } from '../gateway/formats.ts';
import { sseReader } from '../gateway/sse.ts';
import type { ModelCall, Part } from '../gateway/usage.ts';

/** Where models of one format are, and the owner's key there. */
export interface UpstreamAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

export type Opened =
  | { readonly ok: true; readonly parts: AsyncIterable<Part> }
  /** Status is null where no answer came. */
  | {
      readonly ok: false;
      readonly status: number | null;
      readonly retryAfterSeconds: number | null;
      readonly cause: string;
    };

/**
 * Asks an upstream, and reads its stream as fast as the parts are taken.
 *
 * @param idleMs for how long it may say nothing
 * @param signal ends it
 */
export async function openUpstream(
  format: FormatName,
  { url, key }: UpstreamAddress,
  call: ModelCall,
  { idleMs, signal }: { readonly idleMs: number; readonly signal: AbortSignal },
): Promise<Opened> {
  const { path, headers, body } = FORMATS[format].requestOf(call, key);
  const idle = new IdleTimer(idleMs);
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, idle.signal]),
    });
  } catch (error) {
    idle.stop();
    return { ok: false, status: null, retryAfterSeconds: null, cause: String(error) };
  }
  if (!response.ok || response.body === null) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const cause = (await response.text().catch(() => '')).slice(0, 500);
    idle.stop();
    const retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
    return { ok: false, status: response.status, retryAfterSeconds, cause };
  }
  return { ok: true, parts: partsOf(format, response.body, idle) };
}

async function* partsOf(
  format: FormatName,
  body: ReadableStream<Uint8Array>,
  idle: IdleTimer,
): AsyncGenerator<Part> {
  const take = sseReader();
  const { partsOf: read } = FORMATS[format];
  try {
    for await (const bytes of body) {
      // Only waiting for the upstream counts, not for who reads from here.
      idle.stop();
      for (const { data } of take(bytes)) yield* read(data);
      idle.start();
    }
  } finally {
    idle.stop();
  }
}

/** Aborts when it is not stopped in time. */
class IdleTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#controller.abort(new Error('The upstream said nothing.')), this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
