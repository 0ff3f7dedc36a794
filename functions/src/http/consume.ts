import type { ConsumeResponse } from '@extension-billing/contract/api';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import type { ConsumeDecision } from '../domain/consume.ts';
import type { ConsumeEntry } from '../domain/ledger.ts';
import { commitConsume } from '../store/commit-consume.ts';
import { sendJson } from './answer.ts';
import { answerUnmetered } from './answer-unmetered.ts';
import { userOf } from './authenticate.ts';
import { correlationIdOf, logOf } from './correlate.ts';
import { balancesAfter, FREE, sendExhausted, sendKeyReused, tooManyRefusals } from './credit-answer.ts';
import { committed, idempotencyKey, pricedFeature } from './credit-request.ts';
import { parseBody } from './parse-body.ts';
import { ConsumeBody } from './requests.ts';

/**
 * POST /credits/consume: spends what a feature costs, once per idempotency key (specification, "Credit balance
 * moves"; design, section 3). The cost comes from the pricing file, never from the client.
 */
export function consumeRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const key = idempotencyKey(req.headers['idempotency-key']);
    const { feature } = parseBody(ConsumeBody, req.body);
    const { gate, cost } = pricedFeature(feature);
    if (gate !== 'metered') return answerUnmetered(deps, res, { asked: 'consume', feature, gate });
    const command = { key, feature, cost, correlationId: correlationIdOf(res) };
    const commit = commitConsume(deps.firestore, userOf(res), command, deps.now());
    const decision = await committed(commit);
    logOf(res).info('consume', { outcome: decision.kind, feature });
    answer(res, decision);
  };
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
      sendKeyReused(res);
      break;
    case 'too_many_refusals':
      throw tooManyRefusals();
    case 'free':
      sendJson(res, 200, FREE satisfies ConsumeResponse);
      break;
    default:
      decision satisfies never;
  }
}

/** The recorded outcome as an answer: a retry gets the very body of the first answer, marked as replayed. */
function answerEntry(res: Response, entry: ConsumeEntry, replayed: boolean): void {
  if (entry.outcome === 'exhausted') {
    sendExhausted(res, entry, replayed);
    return;
  }
  const body: ConsumeResponse = { ok: true, ...balancesAfter(entry), cost: entry.cost, replayed };
  sendJson(res, 200, body);
}
