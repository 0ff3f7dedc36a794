import type { ReserveResponse, SettleResponse } from '@extension-billing/contract/api';
import { ReserveRequest, SettleRequest } from '@extension-billing/contract/api';
import type { ReserveEntry, SettleEntry } from '@extension-billing/contract/ledger';
import type { ErrorCode } from '@extension-billing/contract/problems';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { freeAccessOf } from '../free/give.ts';
import { sendJson, sendProblem } from '../http/answer.ts';
import { askedBy, claimantOfRequest, userOf } from '../http/authenticate.ts';
import { parseBody } from '../http/body.ts';
import { logOf, requestIdOf } from '../http/gates.ts';
import { commitCredits } from './commit.ts';
import {
  answerUnmetered,
  balancesAfter,
  FREE,
  idempotencyKey,
  type Needs,
  pricedFeature,
  runsWithoutCredits,
  sendExhausted,
  sendFreeCeiling,
  sendKeyReused,
  sendNoCredits,
  sendPlanRequired,
  tooManyRefusals,
} from './consume.ts';
import {
  isEndAskedFor,
  MAX_HOLDS,
  type ReserveDecision,
  type SettleCommand,
  type SettleDecision,
} from './decide.ts';

/**
 * POST /credits/reserve: holds what a feature costs, once per idempotency key, until it is confirmed, released or
 * expired (docs/decisions/0050-reservations.md).
 */
export function reserveRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const key = idempotencyKey(req.headers['idempotency-key']);
    const { feature, expiresInSeconds } = parseBody(ReserveRequest, req.body);
    const { gate, cost, hold: _, ...needs } = pricedFeature(deps.catalog(), feature);
    if (gate !== 'metered') {
      const request = { kind: 'reserve', feature, gate, ...needs } as const;
      return answerUnmetered(deps, res, request, { reservation: key, expiresAt: null });
    }
    const lifetime = expiresInSeconds * 1000;
    const asked = { correlationId: requestIdOf(res), ...askedBy(res) };
    const command = { kind: 'reserve', key, feature, cost, ...needs, lifetime, ...asked } as const;
    const free = freeAccessOf(deps, claimantOfRequest(res));
    const decision = await commitCredits(deps.firestore, userOf(res), command, deps.now(), free);
    const isRefused = decision.kind === 'free' && !runsWithoutCredits(deps.catalog());
    logOf(res).info('reserve', { outcome: isRefused ? 'no_credits' : decision.kind, feature });
    if (isRefused) sendNoCredits(res);
    else answerReserve(res, key, decision, needs);
  };
}

function answerReserve(res: Response, key: string, decision: ReserveDecision, needs: Needs): void {
  switch (decision.kind) {
    case 'granted':
    case 'exhausted':
      answerHeld(res, key, decision.entry, false);
      break;
    case 'replayed':
      answerHeld(res, key, decision.entry, true);
      break;
    case 'key_reused':
      sendKeyReused(res);
      break;
    case 'too_many': {
      const detail = `${MAX_HOLDS} reservations are open: confirm or release one, or wait until one expires.`;
      sendProblem(res, 'too_many_reservations', detail);
      break;
    }
    case 'too_many_refusals':
      throw tooManyRefusals();
    case 'plan_required':
      sendPlanRequired(res, needs);
      break;
    case 'free_ceiling':
      sendFreeCeiling(res, decision.available);
      break;
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

function answerHeld(res: Response, key: string, entry: ReserveEntry, replayed: boolean): void {
  if (entry.outcome === 'exhausted') {
    sendExhausted(res, entry, replayed);
    return;
  }
  const { cost, expiresAt } = entry;
  const body = { ok: true, reservation: key, ...balancesAfter(entry), cost, expiresAt, replayed } as const;
  sendJson(res, 200, body satisfies ReserveResponse);
}

/**
 * POST /credits/confirm takes what a reservation holds, POST /credits/release lets it go. A reservation ends once;
 * asked again, the same end is answered again (docs/decisions/0050-reservations.md).
 */
export function settleRoute(deps: AppDeps, kind: SettleCommand['kind']): RequestHandler {
  return async (req, res) => {
    const { reservation } = parseBody(SettleRequest, req.body);
    const command = { kind, reservation, correlationId: requestIdOf(res), ...askedBy(res) };
    const free = freeAccessOf(deps, claimantOfRequest(res));
    const found = await commitCredits(deps.firestore, userOf(res), command, deps.now(), free);
    // Where an account without credits runs nothing, no reserve let it run something: there is nothing to end.
    const isRefused = found.kind === 'free' && !runsWithoutCredits(deps.catalog());
    const decision: SettleDecision = isRefused ? { kind: 'unknown' } : found;
    logOf(res).info(kind, { outcome: decision.kind });
    answerSettle(res, kind, decision);
  };
}

function answerSettle(res: Response, asked: SettleCommand['kind'], decision: SettleDecision): void {
  switch (decision.kind) {
    case 'settled':
      answerEnd(res, asked, decision.entry, false);
      break;
    case 'replayed':
      answerEnd(res, asked, decision.entry, true);
      break;
    case 'unknown': {
      const detail =
        'Nothing was held under this name: send the Idempotency-Key of a reserve that succeeded.';
      sendProblem(res, 'unknown_reservation', detail);
      break;
    }
    case 'free':
      sendJson(res, 200, { ...FREE, shortfall: 0 } satisfies SettleResponse);
      break;
    default:
      decision satisfies never;
  }
}

function answerEnd(res: Response, asked: SettleCommand['kind'], entry: SettleEntry, replayed: boolean): void {
  if (!isEndAskedFor(asked, entry.kind)) {
    const [code, detail] = REFUSALS[entry.kind];
    sendProblem(res, code, detail);
    return;
  }
  const shortfall = entry.shortfall ?? 0;
  const cost = entry.kind === 'confirm' ? entry.cost - shortfall : 0;
  const body: SettleResponse = { ok: true, ...balancesAfter(entry), cost, shortfall, replayed };
  sendJson(res, 200, body);
}

/** How a reservation had ended, where something else was asked for. */
const REFUSALS: Readonly<Record<SettleEntry['kind'], readonly [ErrorCode, string]>> = {
  confirm: ['reservation_confirmed', 'Its credits were taken, and stay taken.'],
  release: ['reservation_released', 'Its credits were let go: reserve again, or consume.'],
  expiry: ['reservation_expired', 'Its credits were free again before this: consume, or reserve for longer.'],
};
