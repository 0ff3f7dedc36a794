import {
  GrantRequest,
  type GrantResponse,
  IdempotencyKey,
  RevokeGrantRequest,
} from '@extension-billing/contract/api';
import type { Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import type { AppDeps } from '../deps.ts';
import { type Act, grantByHand, type Handled, revokeGrant } from '../events/grants.ts';
import { shownRecord } from '../free/budget.ts';
import { InvalidRequest, sendJson, sendProblem } from '../http/answer.ts';
import { serviceOf, userOf } from '../http/authenticate.ts';
import { parseBody } from '../http/body.ts';
import { logOf, withLog } from '../http/gates.ts';
import { paths, readCustomer } from '../store/documents.ts';
import { describeAccount } from './read.ts';

/** POST /grants: credits, a complimentary plan, or both, given by a service of the owner's. */
export function grantRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const key = keyOf(req);
    const { credits = 0, expiresInDays, entitlement, until, reason } = parseBody(GrantRequest, req.body);
    const asked = {
      ...actOf(res, reason),
      key,
      credits,
      ends: expiresInDays === undefined ? null : { inDays: expiresInDays },
      entitlement: entitlement ?? null,
      until: until ?? null,
    };
    const handled = await grantByHand(withLog(deps, logOf(res)), userOf(res), asked, deps.config.grantLimits);
    await answer(deps, res, handled);
  };
}

/** POST /grants/revoke: what is left of a grant goes. */
export function revokeGrantRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const { grant, reason } = parseBody(RevokeGrantRequest, req.body);
    const asked = { ...actOf(res, reason), grant };
    await answer(deps, res, await revokeGrant(withLog(deps, logOf(res)), userOf(res), asked));
  };
}

function keyOf({ headers }: Request): string {
  const key = headers['idempotency-key'];
  if (v.is(IdempotencyKey, key)) return key;
  throw new InvalidRequest(
    'Send an Idempotency-Key header: 1 to 128 letters, digits, "_" or "-", a new one for each grant.',
    'idempotency_key_required',
  );
}

function actOf(res: Response, reason: string): Act {
  const actor = serviceOf(res);
  if (actor === null) throw new Error('only services are let in here');
  return { actor, reason };
}

async function answer({ firestore, now, catalog }: AppDeps, res: Response, handled: Handled): Promise<void> {
  if (handled.kind === 'refused') return sendProblem(res, handled.code, handled.detail);
  const uid = userOf(res);
  const stored = readCustomer(await paths.customer(firestore, uid).get());
  const record = shownRecord(stored, catalog(), now());
  const { grant, replayed } = handled;
  const account = describeAccount(uid, record, now());
  sendJson(res, 200, { ok: true, grant, account, replayed } satisfies GrantResponse);
}
