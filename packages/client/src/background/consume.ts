import type { ConsumeResponse } from '@extension-billing/contract/api';
import type { ConsumeRequest, ConsumeResult } from '../messages.ts';
import type { ApiAnswer } from './api.ts';
import { type AskDeps, createAsk, isDecided } from './ask.ts';
import { type CreditRepliesDeps, createCreditReplies, exhausted } from './credit-replies.ts';
import type { PendingConsumes } from './pending-consumes.ts';

export type Consume = (request: ConsumeRequest) => Promise<ConsumeResult>;

/** What every request of credits works with. */
export interface SpendDeps extends AskDeps, CreditRepliesDeps {
  readonly uid: () => Promise<string | null>;
  /** The API is on this machine, so that it answers without a network too: then only a failed request means offline. */
  readonly apiIsLocal: boolean;
}
export interface ConsumeDeps extends SpendDeps {
  readonly pending: PendingConsumes;
}

/**
 * Spends a feature's cost (specification, "Metering flow"). Denied at once when signed out or offline, and never
 * queued. A lost answer is asked for again under the same idempotency key within a bounded time, and only as long as
 * the user who asked is the one who is signed in.
 */
export function createConsume(deps: ConsumeDeps): Consume {
  const { pending, snapshot } = deps;
  const ask = createAsk(deps);
  const replies = createCreditReplies(deps);

  async function settled(
    uid: string,
    feature: string,
    idempotencyKey: string,
  ): Promise<ApiAnswer<ConsumeResponse>> {
    const answer = await ask<ConsumeResponse>({
      uid,
      path: '/credits/consume',
      body: { feature },
      idempotencyKey,
    });
    if (isDecided(answer)) await pending.settle(idempotencyKey);
    else pending.release(idempotencyKey);
    return answer;
  }

  return async ({ feature, requestId }) => {
    const uid = await deps.uid();
    if (uid === null) return replies.denied(null, 'signed_out');
    if (!deps.online() && !deps.apiIsLocal) return replies.denied(uid, 'offline');

    const consume = { uid, feature, ...(requestId === undefined ? {} : { requestId }) };
    const before = await snapshot.current();
    let claim = await pending.claim(consume);
    let answer = await settled(uid, feature, claim.key);
    while (claim.adopted && exhausted(answer) !== null) {
      // The earlier consume was refused. That answer is old: credits may have come since, so this one asks for itself.
      claim = await pending.claim({ uid, feature });
      answer = await settled(uid, feature, claim.key);
    }

    if (answer.kind === 'answered') return { ok: true, ...(await replies.granted(uid, answer.body)) };
    return replies.refused(uid, before, answer, ['unknown_feature', 'plan_required']);
  };
}
