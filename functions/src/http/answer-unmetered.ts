import type { ConsumeResponse } from '@extension-billing/contract/api';
import { availableCredits } from '@extension-billing/contract/available-credits';
import { isPaidAt } from '@extension-billing/contract/is-paid-at';
import type { Response } from 'express';
import type { AppDeps } from '../deps.ts';
import { creditsOf } from '../domain/credits.ts';
import { decideGate, type UnmeteredGate } from '../domain/gate.ts';
import { readCustomer } from '../store/customers.ts';
import { paths } from '../store/paths.ts';
import { sendJson, sendProblem } from './answer.ts';
import { userOf } from './authenticate.ts';
import { logOf } from './correlate.ts';

/**
 * Answers a consume or a reserve of a feature whose gate takes no credits: it runs, or it needs a plan. Nothing is written, so a
 * retry asks anew; the balances are told as they stand (docs/decisions/0065-gates.md).
 */
export async function answerUnmetered(
  { firestore, now }: Pick<AppDeps, 'firestore' | 'now'>,
  res: Response,
  {
    asked,
    feature,
    gate,
  }: { readonly asked: 'consume' | 'reserve'; readonly feature: string; readonly gate: UnmeteredGate },
  extra: object = {},
): Promise<void> {
  const record = readCustomer(await paths.customer(firestore, userOf(res)).get());
  const decision = decideGate(gate, isPaidAt(record, now()));
  logOf(res).info(asked, { outcome: decision, feature });
  if (decision === 'plan_required') {
    sendProblem(res, 'plan_required', 'This feature comes with a plan: buy one (POST /billing/checkout).');
    return;
  }
  const credits = creditsOf(record);
  const balances = credits === null ? null : availableCredits(credits.balances, credits.holds, now());
  sendJson(res, 200, {
    ...extra,
    ok: true,
    balance: balances === null ? null : balances.allowance + balances.packs,
    allowance: balances?.allowance ?? null,
    packCredits: balances?.packs ?? null,
    cost: 0,
    replayed: false,
    updatedAt: balances === null ? null : (record?.updatedAt ?? null),
  } satisfies ConsumeResponse);
}
