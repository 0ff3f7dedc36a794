import type { RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { ConsumeResponse } from '../contract/api.ts';
import { costOf, gateOf, pricing } from '../contract/pricing.ts';
import type { AppDeps } from '../deps.ts';
import type { ConsumeDecision } from '../domain/consume.ts';
import type { ConsumeEntry } from '../domain/ledger.ts';
import { Contended, commitConsume } from '../store/commit-consume.ts';
import { InvalidRequest, sendJson, sendProblem, Unavailable } from './answer.ts';
import { answerUnmetered } from './answer-unmetered.ts';
import { userOf } from './authenticate.ts';
import { parseBody } from './parse-body.ts';

const Body = v.strictObject({ feature: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) });
/** The key becomes a part of a document id. */
const KEY = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * POST /credits/consume: spends what a feature costs, once per idempotency key (specification, "Credit balance
 * moves"; design, section 3). The cost comes from the pricing file, never from the client.
 */
export function consumeRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const key = idempotencyKey(req.headers['idempotency-key']);
    const { feature } = parseBody(Body, req.body);
    const gate = gateOf(pricing, feature);
    const cost = costOf(pricing, feature);
    if (gate === undefined || cost === undefined) {
      throw new InvalidRequest('feature: the pricing file has no feature of this name.', 'unknown_feature');
    }
    if (gate !== 'metered') return answerUnmetered(deps, res, { feature, gate });
    const decision = await commit(deps, res, { key, feature, cost });
    deps.log.info('consume', { outcome: decision.kind, feature });
    answer(res, decision);
  };
}

function idempotencyKey(header: unknown): string {
  if (typeof header === 'string' && KEY.test(header)) return header;
  throw new InvalidRequest(
    'Send an Idempotency-Key header: 1 to 128 letters, digits, "_" or "-", a new one for each spend.',
    'idempotency_key_required',
  );
}

async function commit(deps: AppDeps, res: Response, command: Parameters<typeof commitConsume>[2]) {
  try {
    return await commitConsume(deps.firestore, userOf(res), command, deps.now());
  } catch (error) {
    if (!(error instanceof Contended)) throw error;
    throw new Unavailable('The balance is busy; try again with the same Idempotency-Key.', 1, error.cause);
  }
}

function answer(res: Response, decision: ConsumeDecision): void {
  switch (decision.kind) {
    case 'granted':
    case 'exhausted':
      answerEntry(res, decision.entry, false);
      break;
    case 'replayed':
      answerEntry(res, decision.entry, true);
      break;
    case 'key_reused':
      sendProblem(res, 'idempotency_key_reused', 'This key was used for another feature; send a new one.');
      break;
    case 'free':
      sendJson(res, 200, FREE);
      break;
    default:
      decision satisfies never;
  }
}

/** An account without credits: the feature runs, nothing is spent (specification, "Credit balance moves", 3). */
const FREE: ConsumeResponse = {
  ok: true,
  balance: null,
  allowance: null,
  packCredits: null,
  cost: 0,
  replayed: false,
  updatedAt: null,
};

/** The recorded outcome as an answer: a retry gets the very body of the first answer, marked as replayed. */
function answerEntry(res: Response, entry: ConsumeEntry, replayed: boolean): void {
  const { allowance, packCredits, cost, createdAt } = entry;
  const balance = allowance + packCredits;
  if (entry.outcome === 'exhausted') {
    sendProblem(res, 'credits_exhausted', 'The balance does not cover this feature: top up to go on.', {
      balance,
      allowance,
      replayed,
    });
    return;
  }
  sendJson(res, 200, {
    ok: true,
    balance,
    allowance,
    packCredits,
    cost,
    replayed,
    updatedAt: createdAt,
  } satisfies ConsumeResponse);
}
