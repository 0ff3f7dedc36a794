import type { BalanceResponse } from '@extension-billing/contract/api';
import { availableCredits, NO_CREDITS } from '@extension-billing/contract/available-credits';
import type { RequestHandler } from 'express';
import type { AppDeps } from '../deps.ts';
import { creditsOf } from '../domain/credits.ts';
import { readCustomer } from '../store/customers.ts';
import { paths } from '../store/paths.ts';
import { sendJson } from './answer.ts';
import { userOf } from './authenticate.ts';
import { logOf } from './correlate.ts';

/**
 * GET /credits/balance: whole credits that can be spent now, so without what reservations hold; 0 and 0 for an
 * account without credits (design, section 3; docs/decisions/0050-reservations.md).
 */
export function balanceRoute(deps: AppDeps): RequestHandler {
  return async (_req, res) => {
    const customer = await paths.customer(deps.firestore, userOf(res)).get();
    const credits = creditsOf(readCustomer(customer));
    const { balances, holds } = credits ?? { balances: NO_CREDITS, holds: [] };
    const { allowance, packs } = availableCredits(balances, holds, deps.now());
    logOf(res).info('balance_read', { inUse: credits !== null });
    sendJson(res, 200, { balance: allowance + packs, allowance } satisfies BalanceResponse);
  };
}
