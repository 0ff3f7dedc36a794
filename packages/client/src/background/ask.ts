import { type Api, type ApiAnswer, type ApiRequest, unreadable } from './api.ts';
import { isCreditAnswer } from './is-credit-answer.ts';

const ATTEMPT_TIMEOUT_MS = 10_000;
/** No new attempt starts after this long: the user is waiting. */
const RETRY_WITHIN_MS = 15_000;
/** Waits before the second attempt and on. A refused connection answers at once, so offline is known in 2 s. */
const BACKOFF_MS = [200, 600, 1_200] as const;

export interface AskDeps {
  readonly api: Pick<Api, 'post'>;
  /** False when the browser knows that there is no network. */
  readonly online: () => boolean;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

export type Ask = <Body>(
  request: Pick<ApiRequest, 'uid' | 'path' | 'body' | 'idempotencyKey'>,
) => Promise<ApiAnswer<Body>>;

/** Asks, and asks again for a lost answer, for requests that are safe to repeat as they are. Within a bounded time. */
export function createAsk({ api, online, now, wait }: AskDeps): Ask {
  return async <Body>(request: Parameters<Ask>[0]) => {
    const giveUpAt = now() + RETRY_WITHIN_MS;
    // All attempts have one name: they are one thing that was asked for.
    const sent = { ...request, correlationId: crypto.randomUUID(), timeoutMs: ATTEMPT_TIMEOUT_MS };
    for (let attempt = 0; ; attempt++) {
      const heard = await api.post<Body>(sent);
      const isOther = heard.kind === 'answered' && !isCreditAnswer(request.path, heard.body);
      const answer: ApiAnswer<Body> = isOther ? unreadable() : heard;
      const pause = BACKOFF_MS[attempt];
      if (!isUndecided(answer) || pause === undefined || !online()) return answer;
      const longer = Math.max(pause, answer.kind === 'problem' ? (answer.retryAfterMs ?? 0) : 0);
      if (now() + longer > giveUpAt) return answer;
      await wait(longer);
    }
  };
}

/** Whether this attempt tells nothing of what the server did, and may be repeated as it is. */
export function isUndecided(answer: ApiAnswer<unknown>): boolean {
  switch (answer.kind) {
    case 'unreachable':
    case 'timeout':
      return true;
    case 'problem':
      return answer.problem.status >= 500 || answer.problem.status === 429;
    case 'answered':
    case 'signed_out':
    case 'account_changed':
      return false;
    default:
      return answer satisfies never;
  }
}

/** Whether the server has said what it did under this key. An attempt before the last may have lost its answer. */
export function isDecided(answer: ApiAnswer<unknown>): boolean {
  switch (answer.kind) {
    case 'answered':
    case 'problem':
      return !isUndecided(answer);
    case 'unreachable':
    case 'timeout':
    case 'signed_out':
    case 'account_changed':
      return false;
    default:
      return answer satisfies never;
  }
}
