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
  path: ApiRequest['path'],
  body: object,
  idempotencyKey?: string,
) => Promise<ApiAnswer<Body>>;

/** Asks, and asks again for a lost answer, for requests that are safe to repeat as they are. Within a bounded time. */
export function createAsk({ api, online, now, wait }: AskDeps): Ask {
  return async <Body>(path: ApiRequest['path'], body: object, idempotencyKey?: string) => {
    const giveUpAt = now() + RETRY_WITHIN_MS;
    // All attempts have one name: they are one thing that was asked for.
    const names = {
      correlationId: crypto.randomUUID(),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    };
    for (let attempt = 0; ; attempt++) {
      const heard = await api.post<Body>({ path, body, ...names, timeoutMs: ATTEMPT_TIMEOUT_MS });
      const isOther = heard.kind === 'answered' && !isCreditAnswer(path, heard.body);
      const answer: ApiAnswer<Body> = isOther ? unreadable() : heard;
      const pause = BACKOFF_MS[attempt];
      if (!isUndecided(answer) || pause === undefined || !online()) return answer;
      const longer = Math.max(pause, answer.kind === 'problem' ? (answer.retryAfterMs ?? 0) : 0);
      if (now() + longer > giveUpAt) return answer;
      await wait(longer);
    }
  };
}

/** Whether the server may still do, or may have done, something under this key. */
export function isUndecided(answer: ApiAnswer<unknown>): boolean {
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
