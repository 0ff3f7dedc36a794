import type { ConsumeResponse, ExhaustedProblem } from '@contract/api.ts';
import type { ConsumeResult, DenialReason } from '../messages.ts';
import type { BalanceReport } from '../snapshot/admit.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import type { Api, ApiAnswer } from './api.ts';
import type { PendingConsumes } from './pending-consumes.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
/** No new attempt starts after this long: the user is waiting. */
const RETRY_WITHIN_MS = 15_000;
/** Waits before the second attempt and on. A refused connection answers at once, so offline is known in 2 s. */
const BACKOFF_MS = [200, 600, 1_200] as const;

export interface ConsumeRequest {
  readonly feature: string;
  /** The page's name for this request: asked again under it, the same consume answers and nothing is spent twice. */
  readonly requestId?: string;
}
export type Consume = (request: ConsumeRequest) => Promise<ConsumeResult>;

export interface ConsumeDeps {
  readonly api: Pick<Api, 'post'>;
  readonly uid: () => Promise<string | null>;
  /** False when the browser knows that there is no network. */
  readonly online: () => boolean;
  /** The API is on this machine, so that it answers without a network too: then only a failed request means offline. */
  readonly apiIsLocal: boolean;
  readonly pending: PendingConsumes;
  readonly snapshot: {
    current(): Promise<EntitlementSnapshot | null>;
    balance(report: BalanceReport): Promise<void>;
  };
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Spends a feature's cost (specification, "Metering flow"). Denied at once when signed out or offline, and never
 * queued. A lost answer is asked for again under the same idempotency key within a bounded time.
 */
export function createConsume(deps: ConsumeDeps): Consume {
  const { api, pending, snapshot } = deps;

  async function ask(feature: string, key: string): Promise<ApiAnswer<ConsumeResponse>> {
    const giveUpAt = deps.now() + RETRY_WITHIN_MS;
    for (let attempt = 0; ; attempt++) {
      const answer = await api.post<ConsumeResponse>({
        path: '/credits/consume',
        body: { feature },
        idempotencyKey: key,
        timeoutMs: ATTEMPT_TIMEOUT_MS,
      });
      const pause = BACKOFF_MS[attempt];
      if (!isUndecided(answer) || pause === undefined || !deps.online()) return answer;
      const wait = Math.max(pause, answer.kind === 'problem' ? (answer.retryAfterMs ?? 0) : 0);
      if (deps.now() + wait > giveUpAt) return answer;
      await deps.wait(wait);
    }
  }

  async function settled(feature: string, key: string): Promise<ApiAnswer<ConsumeResponse>> {
    const answer = await ask(feature, key);
    if (isUndecided(answer)) pending.release(key);
    else await pending.settle(key);
    return answer;
  }

  async function denied(reason: DenialReason): Promise<ConsumeResult> {
    const credits = (await snapshot.current())?.credits ?? null;
    return { ok: false, balance: credits?.balance ?? null, allowance: credits?.allowance ?? null, reason };
  }

  return async ({ feature, requestId }) => {
    const uid = await deps.uid();
    if (uid === null) return denied('signed_out');
    if (!deps.online() && !deps.apiIsLocal) return denied('offline');

    const consume = { uid, feature, ...(requestId === undefined ? {} : { requestId }) };
    const before = await snapshot.current();
    let claim = await pending.claim(consume);
    let answer = await settled(feature, claim.key);
    while (claim.adopted && exhausted(answer) !== null) {
      // The earlier consume was refused. That answer is old: credits may have come since, so this one asks for itself.
      claim = await pending.claim({ uid, feature });
      answer = await settled(feature, claim.key);
    }

    if (answer.kind === 'answered') return granted(uid, answer.body);
    const refusal = exhausted(answer);
    if (refusal !== null) return emptied(uid, before, refusal);
    return denied(reasonOf(answer, deps.online()));
  };

  async function granted(uid: string, body: ConsumeResponse): Promise<ConsumeResult> {
    const { balance, allowance, packCredits, updatedAt } = body;
    if (balance === null || allowance === null) return { ok: true, balance: null, allowance: null };
    if (updatedAt !== null) {
      const credits = { balance, allowance, packCredits: packCredits ?? balance - allowance };
      await snapshot.balance({ uid, credits, updatedAt });
    }
    // A replay carries the balance of its day; the snapshot may know better.
    const latest = await snapshot.current();
    const isNewer = latest?.uid === uid && latest.credits !== null && latest.updatedAt > (updatedAt ?? 0);
    const shown = isNewer && latest.credits !== null ? latest.credits : { balance, allowance };
    return { ok: true, balance: shown.balance, allowance: shown.allowance };
  }

  /** A refusal changes nothing on the server; it can only tell that the snapshot had missed something. */
  async function emptied(
    uid: string,
    before: EntitlementSnapshot | null,
    { balance, allowance, replayed }: ExhaustedProblem,
  ): Promise<ConsumeResult> {
    const missed = before?.uid === uid && !replayed && before.credits?.balance !== balance;
    if (missed) {
      const credits = { balance, allowance, packCredits: balance - allowance };
      // One millisecond after what it corrects: any real state of the record that came since stays.
      await snapshot.balance({ uid, credits, updatedAt: before.updatedAt + 1 });
    }
    return { ok: false, balance, allowance, reason: 'exhausted' };
  }
}

/** Whether the server may still do, or may have done, something under this key. */
function isUndecided(answer: ApiAnswer<unknown>): boolean {
  switch (answer.kind) {
    case 'unreachable':
    case 'timeout':
      return true;
    case 'problem':
      return answer.problem.status >= 500 || answer.problem.status === 429;
    case 'answered':
    case 'signed_out':
      return false;
    default:
      return answer satisfies never;
  }
}

function exhausted(answer: ApiAnswer<unknown>): ExhaustedProblem | null {
  if (answer.kind !== 'problem' || answer.problem.code !== 'credits_exhausted') return null;
  return answer.problem as ExhaustedProblem;
}

function reasonOf(answer: Exclude<ApiAnswer<unknown>, { kind: 'answered' }>, online: boolean): DenialReason {
  switch (answer.kind) {
    case 'unreachable':
      return 'offline';
    case 'timeout':
      return online ? 'unavailable' : 'offline';
    case 'signed_out':
      return 'signed_out';
    case 'problem': {
      const { code } = answer.problem;
      return code === 'unknown_feature' || code === 'plan_required' ? code : 'unavailable';
    }
    default:
      return answer satisfies never;
  }
}
