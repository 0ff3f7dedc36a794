import type { RequestHandler } from 'express';
import type { BalanceResponse } from '../contract/api.ts';
import type { AppDeps } from '../deps.ts';
import { NO_CREDITS, totalOf } from '../domain/balance.ts';
import { balancesOf } from '../domain/derive.ts';
import { readCustomer } from '../store/customers.ts';
import { paths } from '../store/paths.ts';
import { sendJson } from './answer.ts';
import { userOf } from './authenticate.ts';

/** GET /credits/balance: whole credits; 0 and 0 for an account without credits (design, section 3). */
export function balanceRoute({ firestore }: AppDeps): RequestHandler {
  return async (_req, res) => {
    const customer = await paths.customer(firestore, userOf(res)).get();
    const balances = balancesOf(readCustomer(customer)) ?? NO_CREDITS;
    sendJson(res, 200, {
      balance: totalOf(balances),
      allowance: balances.allowance,
    } satisfies BalanceResponse);
  };
}
