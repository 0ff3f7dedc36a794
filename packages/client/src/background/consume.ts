import type { ConsumeResponse } from '@extension-billing/contract/api';
import type { ConsumeRequest, ConsumeResult } from '../messages.ts';
import { type AskDeps, createAsk } from './api.ts';
import { type CreditRepliesDeps, createCreditReplies } from './credit-replies.ts';

type Consume = (request: ConsumeRequest) => Promise<ConsumeResult>;

/** As the service takes one. */
const KEY = /^[A-Za-z0-9_-]{1,128}$/;

/** What every request of credits works with. */
export interface SpendDeps extends AskDeps, CreditRepliesDeps {
  readonly uid: () => Promise<string | null>;
  /** The API is on this machine, so that it answers without a network too: then only a failed request means offline. */
  readonly apiIsLocal: boolean;
  readonly newKey: () => string;
}

/**
 * Spends a feature's cost (specification, "Metering flow"). Denied at once when signed out or offline, and never
 * queued. The request id is the idempotency key, so a caller that retries with its id after the worker's death or a
 * lost answer is charged once. A message without an id gets a key of its own. A lost answer is asked for again under
 * the same key within a bounded time, and only while the user who asked is signed in.
 *
 * @throws TypeError if the request id is not an idempotency key; the router has checked those of messages
 */
export function createConsume(deps: SpendDeps): Consume {
  const ask = createAsk(deps);
  const replies = createCreditReplies(deps);

  return async ({ feature, requestId: idempotencyKey = deps.newKey() }) => {
    if (!KEY.test(idempotencyKey)) throw new TypeError(`requestId must match ${KEY}.`);
    const uid = await deps.uid();
    if (uid === null) return replies.denied(null, 'signed_out');
    if (!deps.online() && !deps.apiIsLocal) return replies.denied(uid, 'offline');

    const before = await deps.snapshot.current();
    const answer = await ask<ConsumeResponse>({
      uid,
      path: '/credits/consume',
      body: { feature },
      idempotencyKey,
    });
    if (answer.kind === 'answered') return { ok: true, ...(await replies.granted(uid, answer.body)) };
    return replies.refused(uid, before, answer, ['unknown_feature', 'plan_required', 'free_ceiling_reached']);
  };
}
