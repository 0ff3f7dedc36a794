import type { ConsumeResponse } from '@contract/api.ts';
import type { ConsumeResult } from '../messages.ts';
import type { ApiAnswer } from './api.ts';
import { type AskDeps, createAsk, isUndecided } from './ask.ts';
import { type CreditRepliesDeps, createCreditReplies, exhausted } from './credit-replies.ts';
import type { PendingConsumes } from './pending-consumes.ts';

export interface ConsumeRequest {
  readonly feature: string;
  /** The page's name for this request: asked again under it, the same consume answers and nothing is spent twice. */
  readonly requestId?: string;
}
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
 * queued. A lost answer is asked for again under the same idempotency key within a bounded time.
 */
export function createConsume(deps: ConsumeDeps): Consume {
  const { pending, snapshot } = deps;
  const ask = createAsk(deps);
  const replies = createCreditReplies(deps);

  async function settled(feature: string, key: string): Promise<ApiAnswer<ConsumeResponse>> {
    const answer = await ask<ConsumeResponse>('/credits/consume', { feature }, key);
    if (isUndecided(answer)) pending.release(key);
    else await pending.settle(key);
    return answer;
  }

  return async ({ feature, requestId }) => {
    const uid = await deps.uid();
    if (uid === null) return replies.denied('signed_out');
    if (!deps.online() && !deps.apiIsLocal) return replies.denied('offline');

    const consume = { uid, feature, ...(requestId === undefined ? {} : { requestId }) };
    const before = await snapshot.current();
    let claim = await pending.claim(consume);
    let answer = await settled(feature, claim.key);
    while (claim.adopted && exhausted(answer) !== null) {
      // The earlier consume was refused. That answer is old: credits may have come since, so this one asks for itself.
      claim = await pending.claim({ uid, feature });
      answer = await settled(feature, claim.key);
    }

    if (answer.kind === 'answered') return { ok: true, ...(await replies.granted(uid, answer.body)) };
    return replies.refused(uid, before, answer, ['unknown_feature', 'plan_required']);
  };
}
