import { type Bounds, boundsOf, dearestOf, type Rate } from '../gateway/bounds.ts';
import type { ChatCall } from '../gateway/chat-request.ts';
import { type Answer, chunkWriter, type Receipt, wholeAnswer } from '../gateway/chunks.ts';
import type { FormatName } from '../gateway/formats.ts';
import {
  type Ending,
  endingOf,
  NOTHING_READ,
  type Outcome,
  outcomeOf,
  type Reading,
  read,
} from '../gateway/reading.ts';
import type { Pool, Usage } from '../gateway/usage.ts';
import type { Caller } from './caller.ts';
import type { Charging, Held, Refused } from './charging.ts';
import {
  errorBody,
  modelNotFound,
  PROBLEMS,
  type Problem,
  refusedByUpstream,
  refusedHold,
  tooLong,
} from './errors.ts';
import type { Model, Models } from './models.ts';
import { openUpstream, type UpstreamAddress } from './upstream.ts';

/** What a feature costs, from the catalogue. */
export interface Price {
  readonly hold: number;
  readonly rates: Readonly<Record<Pool, Rate>>;
  /** Whole credits for so much usage. */
  readonly costOf: (usage: Usage) => number;
}

export interface Assistant {
  readonly charging: Charging;
  readonly models: Models;
  readonly upstreams: Readonly<Record<FormatName, UpstreamAddress>>;
  readonly priceOf: (feature: string) => Price;
  /** For how long an upstream may say nothing, and for how long a call may take. */
  readonly idleMs: number;
  readonly callMs: number;
  readonly now: () => number;
  /** One line for each call. Nothing that anybody wrote is in it. */
  readonly log: (line: Readonly<Record<string, string | number | boolean | null>>) => void;
}

/** A hold outlives its call by this much: what settles it late still finds it. */
const HOLD_LONGER_MS = 60_000;

/** One call of a model from its hold to its receipt. It ends in one settle or one release, whatever happens between. */
export async function answerCall(
  assistant: Assistant,
  uid: string,
  call: ChatCall,
  caller: Caller,
): Promise<void> {
  const { models, priceOf, charging, callMs, now } = assistant;
  const model = Object.hasOwn(models, call.model) ? models[call.model] : undefined;
  if (model === undefined) {
    caller.refuse(modelNotFound(call.model, Object.keys(models)));
    return;
  }
  const mostOutput = Math.min(call.maxOutput ?? model.maxOutput, model.maxOutput);
  const bounds = boundsOf(call.messages, mostOutput);
  const price = priceOf(model.feature);
  const units = dearestOf(bounds, price.rates);
  const most = price.costOf(units);
  if (most > price.hold) {
    caller.refuse(tooLong(most, price.hold));
    return;
  }

  const key = `chat_${crypto.randomUUID()}`;
  const expiresInSeconds = Math.ceil((callMs + HOLD_LONGER_MS) / 1000);
  const held = await charging.hold(uid, model.feature, { units, key, expiresInSeconds });
  if (!held.ok) {
    caller.refuse(refusedHold(held));
    return;
  }
  const answer = { id: `chatcmpl-${key}`, created: Math.floor(now() / 1000), model: call.model };
  await new HeldCall(assistant, call, model, bounds, held, answer, caller).run();
}

/** Nothing was recorded. Taking nothing would make a call free for anyone who makes it expensive or odd enough. */
const TAKES_NO_SUCH_AMOUNT: ReadonlySet<string> = new Set(['amount_above_hold', 'invalid_request']);

/** @throws the error, unless it says that the service takes no such amount */
function asRefusal(error: unknown): Refused {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code !== 'invalid_request') throw error;
  return { ok: false, reason: code, detail: String(error) };
}

/** How a call ended, and what is said of it where it did not end well. */
interface End {
  readonly outcome: Outcome;
  readonly problem: Problem | null;
}

class HeldCall {
  readonly #assistant: Assistant;
  readonly #call: ChatCall;
  readonly #model: Model;
  readonly #bounds: Bounds;
  readonly #held: Held;
  readonly #answer: Answer;
  readonly #caller: Caller;
  readonly #write: ReturnType<typeof chunkWriter>;
  #reading: Reading = NOTHING_READ;
  /** What a caller who does not stream gets at the end. */
  #text = '';

  constructor(
    assistant: Assistant,
    call: ChatCall,
    model: Model,
    bounds: Bounds,
    held: Held,
    answer: Answer,
    caller: Caller,
  ) {
    this.#assistant = assistant;
    this.#call = call;
    this.#model = model;
    this.#bounds = bounds;
    this.#held = held;
    this.#answer = answer;
    this.#caller = caller;
    this.#write = chunkWriter(answer, call.asksForUsage);
  }

  async run(): Promise<void> {
    const began = this.#assistant.now();
    let end: End;
    try {
      end = await this.#stream();
    } catch (error) {
      // A fault of ours, not of the upstream's: the credits are let go all the same.
      this.#log({ outcome: 'fault', why: error instanceof Error ? error.name : 'unknown' });
      end = this.#broken();
    }
    const ending = endingOf(end.outcome, this.#reading, this.#bounds, this.#model.hiddenReasoning);
    const receipt = await this.#end(ending);
    const { finish, isCounted } = this.#reading;
    const took = this.#assistant.now() - began;
    this.#log({ outcome: end.outcome, credits: receipt?.credits ?? 0, counted: isCounted, finish, took });
    this.#finish(end.problem, receipt);
  }

  /** @returns how it came to its end; it does not throw for anything that an upstream or a caller does */
  async #stream(): Promise<End> {
    const { gone } = this.#caller;
    if (gone.aborted) return { outcome: 'refused', problem: null };
    const { upstreams, idleMs, callMs } = this.#assistant;
    const { format, upstreamModel } = this.#model;
    const { messages, temperature, topP, stop } = this.#call;
    const asked = {
      model: upstreamModel,
      messages,
      maxOutput: this.#bounds.mostOutput,
      temperature,
      topP,
      stop,
    };
    const signal = AbortSignal.any([gone, AbortSignal.timeout(callMs)]);
    const opened = await openUpstream(format, upstreams[format], asked, { idleMs, signal });
    if (gone.aborted) return { outcome: 'left', problem: null };
    if (!opened.ok) {
      this.#log({ outcome: 'upstream_refused', status: opened.status });
      return { outcome: 'refused', problem: refusedByUpstream(opened.status, opened.retryAfterSeconds) };
    }
    try {
      for await (const part of opened.parts) {
        this.#reading = read(this.#reading, part);
        if (part.kind === 'text') await this.#say(part.text, signal);
        if (part.kind === 'error' || signal.aborted) break;
      }
    } catch {
      // The connection broke, or was broken off: what was read until then says how it ended.
    }
    if (gone.aborted) return { outcome: 'left', problem: null };
    const outcome = outcomeOf(this.#reading);
    if (outcome === 'finished') return { outcome, problem: null };
    return this.#broken();
  }

  /** A failure: free where the caller got no word. */
  #broken(): End {
    return this.#caller.hasBegun()
      ? { outcome: 'failed', problem: PROBLEMS.brokenOff }
      : { outcome: 'refused', problem: PROBLEMS.upstreamFailed };
  }

  async #say(text: string, signal: AbortSignal): Promise<void> {
    if (!this.#call.isStreamed) {
      this.#text += text;
      return;
    }
    const piece = this.#write.text(text);
    await this.#caller.write(this.#caller.hasBegun() ? piece : this.#write.begin() + piece, signal);
  }

  /** Settles or releases. Where the billing service does not answer, the hold frees itself. */
  async #end(ending: Ending): Promise<Receipt | null> {
    const { reservation, cost } = this.#held;
    try {
      if (ending.kind === 'release') {
        await this.#held.release();
        return null;
      }
    } catch (error) {
      this.#log({ outcome: 'release_failed', why: error instanceof Error ? error.name : 'unknown' });
      return null;
    }
    const { usage, isEstimated: estimated } = ending;
    const label = estimated ? `${this.#call.model}, estimated` : this.#call.model;
    const unsettled = { reservation, usage, estimated, credits: null, balance: null };
    try {
      let settled = await this.#held.settle({ units: usage, label }).catch(asRefusal);
      if (!settled.ok && TAKES_NO_SUCH_AMOUNT.has(settled.reason)) {
        // The upstream gave more than it was asked for: the user pays no more than was held, and never nothing.
        this.#log({ outcome: 'above_hold', held: cost });
        settled = await this.#held.settle({ amount: cost, label: `${label}, capped` });
      }
      if (settled.ok) return { ...unsettled, credits: settled.cost, balance: settled.balance };
      this.#log({ outcome: 'settle_refused', why: settled.reason });
    } catch (error) {
      this.#log({ outcome: 'settle_failed', why: error instanceof Error ? error.name : 'unknown' });
    }
    return unsettled;
  }

  #finish(problem: Problem | null, receipt: Receipt | null): void {
    const caller = this.#caller;
    if (problem !== null && !caller.hasBegun()) caller.refuse(problem);
    else if (problem !== null) {
      caller.end(this.#write.fail({ ...errorBody(problem), billing: receipt }));
    } else if (receipt !== null) this.#deliver(receipt);
  }

  #deliver(receipt: Receipt): void {
    const finish = this.#reading.finish ?? 'stop';
    if (this.#call.isStreamed) {
      const begin = this.#caller.hasBegun() ? '' : this.#write.begin();
      this.#caller.end(begin + this.#write.end(finish, receipt));
    } else {
      this.#caller.send(200, wholeAnswer(this.#answer, this.#text, finish, receipt));
    }
  }

  #log(line: Readonly<Record<string, string | number | boolean | null>>): void {
    this.#assistant.log({ event: 'model_call', model: this.#call.model, ...line });
  }
}
