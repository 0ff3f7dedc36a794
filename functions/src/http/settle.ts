import type { ErrorCode, SettleResponse } from '@extension-billing/contract/api';
import type { RequestHandler, Response } from 'express';
import type { AppDeps } from '../deps.ts';
import type { SettleEntry } from '../domain/ledger.ts';
import { isEndAskedFor, type SettleCommand, type SettleDecision } from '../domain/settle.ts';
import { commitSettle } from '../store/commit-reservation.ts';
import { sendJson, sendProblem } from './answer.ts';
import { userOf } from './authenticate.ts';
import { correlationIdOf, logOf } from './correlate.ts';
import { balancesAfter, FREE } from './credit-answer.ts';
import { committed } from './credit-request.ts';
import { parseBody } from './parse-body.ts';
import { SettleBody } from './requests.ts';

/**
 * POST /credits/confirm takes what a reservation holds, POST /credits/release lets it go. A reservation ends once;
 * asked again, the same end is answered again (docs/decisions/0050-reservations.md).
 */
export function settleRoute(deps: AppDeps, as: SettleCommand['as']): RequestHandler {
  return async (req, res) => {
    const { reservation } = parseBody(SettleBody, req.body);
    const command = { reservation, as, correlationId: correlationIdOf(res) };
    const commit = commitSettle(deps.firestore, userOf(res), command, deps.now());
    const decision = await committed(commit);
    logOf(res).info(as, { outcome: decision.kind });
    answer(res, as, decision);
  };
}

function answer(res: Response, as: SettleCommand['as'], decision: SettleDecision): void {
  switch (decision.kind) {
    case 'settled':
      answerEntry(res, as, decision.entry, false);
      break;
    case 'replayed':
      answerEntry(res, as, decision.entry, true);
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

function answerEntry(res: Response, as: SettleCommand['as'], entry: SettleEntry, replayed: boolean): void {
  if (!isEndAskedFor(as, entry.kind)) {
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
