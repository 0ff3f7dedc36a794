import type { ReserveResponse, SettleResponse } from '@extension-billing/contract/api';
import { MeasuredSettleRequest, ReserveRequest, SettleRequest } from '@extension-billing/contract/api';
import type { FeaturePrice } from '@extension-billing/contract/catalog';
import type { ReserveEntry, SettleEntry } from '@extension-billing/contract/ledger';
import type { ErrorCode } from '@extension-billing/contract/problems';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest, sendJson, sendProblem } from '../http/answer.ts';
import { serviceOf } from '../http/authenticate.ts';
import { parseBody } from '../http/body.ts';
import { logOf } from '../http/gates.ts';
import type {
  EndCommand,
  ReserveCommand,
  ReserveDecision,
  SettleCommand,
  SettleDecision,
} from './commands.ts';
import {
  answerUnmetered,
  answerUnrecorded,
  balancesAfter,
  creditsOfRequests,
  FREE,
  idempotencyKey,
  type Needs,
  pricedFeature,
  runsWithoutCredits,
  sendExhausted,
  sendNoCredits,
} from './consume.ts';
import { isEndAskedFor, MAX_HOLDS } from './decide.ts';
import { amountToHold, measuredOf, unknownUnitIn } from './measured.ts';
import type { VersionSeal } from './versions.ts';

/**
 * POST /credits/reserve: holds what a feature costs, once per idempotency key, until it is confirmed, released or
 * expired (docs/decisions/reservations.md#a-hold-lives-in-the-record-and-ends-once).
 */
export function reserveRoute(deps: AppDeps, seal: VersionSeal): RequestHandler {
  const carryOut = creditsOfRequests(deps, seal);
  return async (req, res) => {
    const key = idempotencyKey(req.headers['idempotency-key']);
    const { feature, expiresInSeconds, attempt, ...named } = parseBody(ReserveRequest, req.body);
    if (serviceOf(res) === null) requireOfUser({ ...named, ...(attempt !== undefined && { attempt }) });
    const catalog = deps.catalog();
    const { gate, cost: most, hold: _, ...needs } = pricedFeature(catalog, feature);
    if (gate !== 'metered') {
      const request = { kind: 'reserve', feature, gate, ...needs } as const;
      return answerUnmetered(deps, res, request, { reservation: key, expiresAt: null });
    }
    const priced: FeaturePrice = catalog.features[feature] ?? {};
    const { rates, overdraw } = priced;
    const amount = amountToHold(priced, named, req.body);
    if (amount !== null && amount > most) return sendAboveHold(res, most);
    const price = amount === null ? { cost: most } : ({ cost: amount, isNamed: true } as const);
    const lifetime = expiresInSeconds * 1000;
    const command: ReserveCommand = {
      ...{ kind: 'reserve', key, feature, ...price, ...needs, lifetime },
      ...(attempt !== undefined && { attempt }),
      ...(serviceOf(res) !== null && {
        price: { ...(rates && { rates }), ...(overdraw !== undefined && { overdraw }) },
      }),
    };
    const decision = await carryOut(req, res, command);
    const isRefused = decision.kind === 'free' && !runsWithoutCredits(catalog);
    logOf(res).info('reserve', { outcome: isRefused ? 'no_credits' : decision.kind, feature });
    if (isRefused) sendNoCredits(res);
    else answerReserve(res, key, decision, needs);
  };
}

/** Never trust a cost sent by the client. */
function requireOfUser({
  amount,
  units,
  attempt,
}: Pick<ReserveRequest, 'amount' | 'units' | 'attempt'>): void {
  if (amount === undefined && units === undefined && attempt === undefined) return;
  throw new InvalidRequest('amount, units, attempt: only a service may send them; leave them out.');
}

function sendAboveHold(res: Response, most: number): void {
  sendProblem(res, 'amount_above_hold', `At most ${most} credits may be taken.`);
}

function answerReserve(res: Response, key: string, decision: ReserveDecision, needs: Needs): void {
  switch (decision.kind) {
    case 'granted':
    case 'exhausted':
      answerHeld(res, key, decision.entry, { replayed: false });
      break;
    case 'replayed':
      answerHeld(res, key, decision.entry, {
        replayed: true,
        ...(decision.hasEnded === true && { hasEnded: true }),
      });
      break;
    case 'too_many': {
      const detail = `${MAX_HOLDS} reservations are open: confirm or release one, or wait until one expires.`;
      sendProblem(res, 'too_many_reservations', detail);
      break;
    }
    case 'free':
      sendJson(res, 200, { ...FREE, reservation: key, expiresAt: null } satisfies ReserveResponse);
      break;
    default:
      answerUnrecorded(res, decision, needs);
  }
}

function answerHeld(
  res: Response,
  key: string,
  entry: ReserveEntry,
  asked: Pick<ReserveResponse, 'replayed' | 'hasEnded'>,
): void {
  if (entry.outcome === 'exhausted') {
    sendExhausted(res, entry, asked.replayed);
    return;
  }
  const { cost, expiresAt } = entry;
  const body = { ok: true, reservation: key, ...balancesAfter(entry), cost, expiresAt, ...asked } as const;
  sendJson(res, 200, body satisfies ReserveResponse);
}

/**
 * POST /credits/confirm takes what a reservation holds, POST /credits/release lets it go. A reservation ends once;
 * asked again, the same end is answered again (docs/decisions/reservations.md).
 */
export function settleRoute(deps: AppDeps, seal: VersionSeal, kind: SettleCommand['kind']): RequestHandler {
  const carryOut = creditsOfRequests(deps, seal);
  return async (req, res) => {
    const { reservation } = parseBody(SettleRequest, req.body);
    const found = await carryOut(req, res, { kind, reservation });
    // Where an account without credits runs nothing, no reserve let it run something: there is nothing to end.
    const isRefused = found.kind === 'free' && !runsWithoutCredits(deps.catalog());
    const decision: SettleDecision = isRefused ? { kind: 'unknown' } : found;
    logOf(res).info(kind, { outcome: decision.kind });
    answerSettle(res, kind, decision);
  };
}

/**
 * POST /credits/settle takes what a service measured, of what a reservation holds and beyond it as far as the feature's
 * overdraw goes, and lets go the rest (docs/decisions/reservations.md#a-backend-names-what-was-used).
 */
export function measuredRoute(deps: AppDeps, seal: VersionSeal): RequestHandler {
  const carryOut = creditsOfRequests(deps, seal);
  return async (req, res) => {
    const request = parseBody(MeasuredSettleRequest, req.body);
    const { reservation } = request;
    const measured = measuredOf(request, req.body);
    const { features } = deps.catalog();
    const decision = await carryOut(req, res, { kind: 'settle', reservation, measured, features });
    logOf(res).info('settle', { outcome: decision.kind });
    answerSettle(res, 'settle', decision);
  };
}

function answerSettle(res: Response, asked: EndCommand['kind'], decision: SettleDecision): void {
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
    case 'above_hold':
      sendAboveHold(res, decision.most);
      break;
    case 'unknown_unit':
      throw unknownUnitIn(decision.unit);
    case 'free':
      sendJson(res, 200, { ...FREE, shortfall: 0 } satisfies SettleResponse);
      break;
    default:
      decision satisfies never;
  }
}

function answerEnd(res: Response, asked: EndCommand['kind'], entry: SettleEntry, replayed: boolean): void {
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
