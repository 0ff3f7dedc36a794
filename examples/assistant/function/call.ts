import type { ServerResponse } from 'node:http';
import type { Billing, Ended, MeasuredResult } from '@extension-billing/server';
import type { ChatRequest } from './chat-request.ts';
import {
  type Bounds,
  boundsOf,
  costOf,
  dearestOf,
  NOTHING_READ,
  type Price,
  type Reading,
  read,
  usageOf,
} from './cost.ts';
import type { Model, Models } from './models.ts';
import {
  modelNotFound,
  PROBLEMS,
  type Problem,
  refusedByUpstream,
  refusedHold,
  tooLong,
} from './problems.ts';
import { type Receipt, Reply, refuse } from './reply.ts';
import type { Upstream } from './upstream.ts';

export interface Assistant {
  readonly billing: Pick<Billing<Model['feature']>, 'verifyUser' | 'withCredits'>;
  readonly models: Models;
  readonly priceOf: (feature: string) => Price;
  readonly upstream: Upstream;
  /** How long a call may take. */
  readonly callMs: number;
  /** Logs one line per call, without anything that the user or the model wrote. */
  readonly log: (line: Readonly<Record<string, string | number | boolean | null>>) => void;
}

/** A hold outlives its call by this much, so that a late settle still finds it. */
const HOLD_LONGER_MS = 60_000;

/** Ends a call whose caller got nothing. `withCredits` releases the hold. */
class Unanswered extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** What a call did, before it is settled. */
interface Answered {
  readonly outcome: 'finished' | 'failed' | 'left';
  readonly reading: Reading;
  readonly receipt: Receipt;
}

/** Answers one call of a model: holds what it could cost, streams the answer and settles once. */
export async function answerCall(
  assistant: Assistant,
  uid: string,
  request: ChatRequest,
  res: ServerResponse,
): Promise<void> {
  const { models, priceOf, billing, callMs } = assistant;
  const model = Object.hasOwn(models, request.model) ? models[request.model] : undefined;
  if (model === undefined) return refuse(res, modelNotFound(request.model, Object.keys(models)));
  const bounds = boundsOf(request.messages, Math.min(request.maxOutput ?? model.maxOutput, model.maxOutput));
  const price = priceOf(model.feature);
  const units = dearestOf(bounds, price);
  const most = costOf(price, units);
  if (most > price.hold) return refuse(res, tooLong(most, price.hold));

  const log: Assistant['log'] = (line) =>
    assistant.log({ event: 'model_call', model: request.model, ...line });
  const began = Date.now();
  const key = `chat_${crypto.randomUUID()}`;
  const expiresInSeconds = Math.ceil((callMs + HOLD_LONGER_MS) / 1000);
  const reply = new Reply(res, { ...request, id: `chatcmpl-${key}` });
  const done: { answered: Answered | null } = { answered: null };
  let settled: Ended | null = null;
  try {
    const work = await billing.withCredits(
      uid,
      model.feature,
      async ({ cost, expiresAt }): Promise<MeasuredResult<null>> => {
        const { outcome, reading } = await stream(assistant, request, model, bounds, res, reply);
        const { usage, isEstimated } = usageOf(reading, bounds, model.hiddenReasoning);
        const receipt = { reservation: key, usage, estimated: isEstimated, credits: null, balance: null };
        done.answered = { outcome, reading, receipt };
        const label = isEstimated ? `${request.model}, estimated` : request.model;
        // The upstream gave more than it was asked for: the user pays no more than the hold.
        const isCapped = expiresAt !== null && costOf(price, usage) > cost;
        if (isCapped) return { result: null, amount: cost, label: `${label}, capped` };
        return { result: null, units: usage, label };
      },
      { units, key, expiresInSeconds },
    );
    if (!work.ok) return refuse(res, refusedHold(work));
    if (work.settled.ok) settled = work.settled;
    else log({ outcome: 'settle_refused', why: work.settled.reason });
  } catch (error) {
    if (error instanceof Unanswered) {
      log({ outcome: 'unanswered', why: error.problem.code, took: Date.now() - began });
      return refuse(res, error.problem);
    }
    if (done.answered === null) throw error;
    log({ outcome: 'settle_failed', why: error instanceof Error ? error.name : 'unknown' });
  }
  if (done.answered === null) throw new Error('The call was not made.');
  const { outcome, reading, receipt } = done.answered;
  const { finish, isCounted } = reading;
  log({ outcome, credits: settled?.cost ?? null, counted: isCounted, finish, took: Date.now() - began });
  const shown = { ...receipt, credits: settled?.cost ?? null, balance: settled?.balance ?? null };
  if (outcome === 'failed') reply.fail(PROBLEMS.brokenOff, shown);
  else if (outcome === 'finished') reply.end(finish ?? 'stop', shown);
}

/**
 * Streams the upstream's answer to the caller.
 *
 * @throws Unanswered if the caller got nothing, unless the caller left: the upstream has read the question by then
 */
async function stream(
  { upstream, callMs }: Assistant,
  request: ChatRequest,
  { upstreamModel }: Model,
  { mostOutput }: Bounds,
  res: ServerResponse,
  reply: Reply,
): Promise<Omit<Answered, 'receipt'>> {
  const caller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) caller.abort();
  });
  if (res.destroyed) throw new Unanswered(PROBLEMS.upstreamFailed);
  const gone = caller.signal;
  const signal = AbortSignal.any([gone, AbortSignal.timeout(callMs)]);
  let reading = NOTHING_READ;
  const opened = await upstream({ ...request, model: upstreamModel, maxOutput: mostOutput }, signal);
  if (gone.aborted) return { outcome: 'left', reading };
  if (!opened.ok) throw new Unanswered(refusedByUpstream(opened.status, opened.retryAfterSeconds));
  try {
    for await (const chunk of opened.chunks) {
      reading = read(reading, chunk);
      if (chunk.text !== '') await reply.text(chunk.text, signal);
      if (signal.aborted) break;
    }
  } catch {
    // The connection broke, or the upstream said that it failed. What was read decides.
  }
  if (gone.aborted) return { outcome: 'left', reading };
  // An answer that has its finish is whole, even if its last events are missing.
  if (reading.finish !== null) return { outcome: 'finished', reading };
  if (!reply.hasBegun) throw new Unanswered(PROBLEMS.upstreamFailed);
  return { outcome: 'failed', reading };
}
