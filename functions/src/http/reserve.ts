import type { ReserveResponse } from '@extension-billing/contract/api';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import type { ReserveEntry } from '../domain/ledger.ts';
import { MOST_HOLDS, type ReserveDecision } from '../domain/reserve.ts';
import { commitReserve } from '../store/commit-reservation.ts';
import { sendJson, sendProblem } from './answer.ts';
import { answerUnmetered } from './answer-unmetered.ts';
import { userOf } from './authenticate.ts';
import { correlationIdOf, logOf } from './correlate.ts';
import { balancesAfter, FREE, sendExhausted, sendKeyReused, tooManyRefusals } from './credit-answer.ts';
import { committed, idempotencyKey, pricedFeature } from './credit-request.ts';
import { parseBody } from './parse-body.ts';
import { ReserveBody } from './requests.ts';

/**
 * POST /credits/reserve: holds what a feature costs, once per idempotency key, until it is confirmed, released or
 * expired (docs/decisions/0050-reservations.md).
 */
export function reserveRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const key = idempotencyKey(req.headers['idempotency-key']);
    const { feature, expiresInSeconds } = parseBody(ReserveBody, req.body);
    const { gate, cost } = pricedFeature(feature);
    if (gate !== 'metered') {
      const asked = { asked: 'reserve', feature, gate } as const;
      return answerUnmetered(deps, res, asked, { reservation: key, expiresAt: null });
    }
    const lifetime = expiresInSeconds * 1000;
    const command = { key, feature, cost, lifetime, correlationId: correlationIdOf(res) };
    const decision = await committed(commitReserve(deps.firestore, userOf(res), command, deps.now()));
    logOf(res).info('reserve', { outcome: decision.kind, feature });
    answer(res, key, decision);
  };
}

function answer(res: Response, key: string, decision: ReserveDecision): void {
  switch (decision.kind) {
    case 'granted':
    case 'exhausted':
      answerEntry(res, key, decision.entry, false);
      break;
    case 'replayed':
      answerEntry(res, key, decision.entry, true);
      break;
    case 'key_reused':
      sendKeyReused(res);
      break;
    case 'too_many': {
      const detail = `${MOST_HOLDS} reservations are open: confirm or release one, or wait until one expires.`;
      sendProblem(res, 'too_many_reservations', detail);
      break;
    }
    case 'too_many_refusals':
      throw tooManyRefusals();
    case 'free':
      sendJson(res, 200, {
        ...FREE,
        reservation: key,
        expiresAt: null,
      } satisfies ReserveResponse);
      break;
    default:
      decision satisfies never;
  }
}

function answerEntry(res: Response, key: string, entry: ReserveEntry, replayed: boolean): void {
  if (entry.outcome === 'exhausted') {
    sendExhausted(res, entry, replayed);
    return;
  }
  const { cost, expiresAt } = entry;
  const body = { ok: true, reservation: key, ...balancesAfter(entry), cost, expiresAt, replayed } as const;
  sendJson(res, 200, body satisfies ReserveResponse);
}
