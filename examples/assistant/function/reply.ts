import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FinishReason, Usage } from './cost.ts';
import { errorBody, type Problem } from './problems.ts';

/** What a call cost: the `billing` field beside OpenAI's own in the last chunk, or in a whole answer. */
export interface Receipt {
  /** The reservation's name, which the usage page shows too. */
  readonly reservation: string;
  /** Null if that isn't known: settled later, or never. */
  readonly credits: number | null;
  readonly usage: Usage;
  /** The upstream didn't report its usage. */
  readonly estimated: boolean;
  /** Null for an account that needs no credits. */
  readonly balance: number | null;
}

/** Sends JSON, unless the caller has left. */
export function sendJson(res: ServerResponse, status: number, body: object, headers: object = {}): void {
  if (res.destroyed) return;
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  res.end(JSON.stringify(body));
}

export function refuse(res: ServerResponse, problem: Problem): void {
  const { status, retryAfterSeconds } = problem;
  const wait = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : {};
  sendJson(res, status, { error: errorBody(problem) }, wait);
}

interface ReplyOptions {
  readonly id: string;
  readonly model: string;
  readonly isStreamed: boolean;
  readonly asksForUsage: boolean;
}

/** One answer in OpenAI's form, streamed or whole. */
export class Reply {
  readonly #res: ServerResponse;
  readonly #options: ReplyOptions;
  readonly #created = Math.floor(Date.now() / 1000);
  /** A whole answer's text. */
  #text = '';

  constructor(res: ServerResponse, options: ReplyOptions) {
    this.#res = res;
    this.#options = options;
  }

  /** True once part of the answer was sent: it can't have another status then. */
  get hasBegun(): boolean {
    return this.#res.headersSent;
  }

  /** Adds text. Waits while the caller reads slowly, until the signal aborts. */
  async text(content: string, signal: AbortSignal): Promise<void> {
    if (!this.#options.isStreamed) this.#text += content;
    else if (!this.#write(this.#delta({ content }))) {
      await once(this.#res, 'drain', { signal }).catch(() => undefined);
    }
  }

  end(finish: FinishReason, receipt: Receipt): void {
    const { id, model, isStreamed, asksForUsage } = this.#options;
    const [usage, billing] = [openaiUsage(receipt.usage), receipt];
    if (isStreamed) {
      this.#write(this.#delta({}, finish, { billing }));
      if (asksForUsage) this.#write(this.#chunk({ choices: [], usage, billing }));
      this.#write('[DONE]');
      this.#res.end();
      return;
    }
    const message = { role: 'assistant', content: this.#text, refusal: null };
    const choices = [{ index: 0, finish_reason: finish, logprobs: null, message }];
    const object = 'chat.completion';
    sendJson(this.#res, 200, { id, object, created: this.#created, model, choices, usage, billing });
  }

  /** Ends a stream that has begun with a failure. */
  fail(problem: Problem, billing: Receipt): void {
    this.#write(JSON.stringify({ error: { ...errorBody(problem), billing } }));
    this.#res.end();
  }

  #chunk(fields: object): string {
    const { id, model, asksForUsage } = this.#options;
    const usage = asksForUsage ? { usage: null } : {};
    const object = 'chat.completion.chunk';
    return JSON.stringify({ id, object, created: this.#created, model, ...usage, ...fields });
  }

  #delta(delta: object, finish_reason: FinishReason | null = null, more: object = {}): string {
    return this.#chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...more });
  }

  /** Returns false if the caller has to read first. */
  #write(data: string): boolean {
    if (this.#res.destroyed) return true;
    if (!this.hasBegun) {
      this.#res.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        // Stops nginx and others from buffering the stream.
        'x-accel-buffering': 'no',
      });
      this.#write(this.#delta({ role: 'assistant', content: '' }));
    }
    return this.#res.write(`data: ${data}\n\n`);
  }
}

/** OpenAI's totals include the cached and reasoning tokens. */
export function openaiUsage({ input, cached, output, reasoning }: Usage): object {
  return {
    prompt_tokens: input + cached,
    completion_tokens: output + reasoning,
    total_tokens: input + cached + output + reasoning,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
