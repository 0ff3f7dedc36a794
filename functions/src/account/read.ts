import type { AccountResponse } from '@extension-billing/contract/api';
import { type CreditRecord, creditsAt } from '@extension-billing/contract/credits';
import {
  billingState,
  hasEntitlement,
  isPaidAt,
  type Millis,
  planKindOf,
} from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import type { RequestHandler } from 'express';
import type { AppDeps } from '../deps.ts';
import { freeAccessOf, readWithFree } from '../free/give.ts';
import { sendJson } from '../http/answer.ts';
import { claimantOfRequest, userOf } from '../http/authenticate.ts';
import { logOf } from '../http/gates.ts';
import type { Uid } from '../store/documents.ts';

/** GET /account: what an account has now, in one read. Nothing is written. */
export function accountRoute(deps: AppDeps): RequestHandler {
  return async (_req, res) => {
    const uid = userOf(res);
    const free = freeAccessOf(deps, claimantOfRequest(res));
    const record = await readWithFree(deps.firestore, uid, free, deps.now());
    const account = describeAccount(uid, record, deps.now());
    logOf(res).info('account_read', { state: account.state });
    sendJson(res, 200, account);
  };
}

/** As much of a record as there is: an account may have credits, and nothing that it bought. */
type Stored = CreditRecord & Partial<CustomerRecord>;

/** What a record says at `now`. What has ended by the clock alone is not in it. */
export function describeAccount(uid: Uid, record: Stored | null, now: Millis): AccountResponse {
  const { plan = null, planKind, status = null, cancelAtPeriodEnd = false, trialUsed = false } = record ?? {};
  const rights = record === null ? null : { ...record, paid: record.paid ?? false };
  const paid = isPaidAt(rights, now);
  const shown = { plan, status, cancelAtPeriodEnd, ...(planKind !== undefined && { planKind }) };
  const credits = creditsAt(record, now);
  return {
    uid,
    state: billingState({ ...shown, paid }),
    paid,
    plan,
    planKind: planKindOf(shown) ?? null,
    status,
    cancelAtPeriodEnd,
    currentPeriodEnd: record?.currentPeriodEnd ?? null,
    trialUsed,
    entitlements: (rights?.entitlements ?? []).filter((name) => hasEntitlement(rights, name, now)),
    balance: credits === null ? null : credits.allowance + credits.packs,
    allowance: credits?.allowance ?? null,
    packCredits: credits?.packs ?? null,
    updatedAt: record?.updatedAt ?? null,
  };
}
