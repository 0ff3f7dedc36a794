import { VERSION_HEADER } from '@extension-billing/contract/headers';
import type { Problem } from '@extension-billing/contract/problems';
import type { TokenAnswer } from './auth-session.ts';
import type { CarriedVersion } from './carried-version.ts';
import { type CreditPath, isCreditAnswer } from './credit-answers.ts';

/** What came back from one request to the billing API. Only `answered` tells what the server did. */
export type ApiAnswer<Body> =
  | { readonly kind: 'answered'; readonly body: Body }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly retryAfterMs: number | null }
  /** No connection: the request did not arrive, or its answer was lost. */
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'signed_out' }
  /** Another user signed in since it was asked for: nothing more was sent. */
  | { readonly kind: 'account_changed' };

export interface ApiRequest {
  /** For whom it is asked. It goes out with this user's token, or not at all. */
  readonly uid: string;
  readonly path: '/billing/checkout' | '/billing/change' | '/billing/portal' | '/account/delete' | CreditPath;
  readonly body: object;
  readonly idempotencyKey?: string;
  /** The name of what is asked for, where it is asked for more than once; otherwise each request gets one of its own. */
  readonly correlationId?: string;
  readonly timeoutMs: number;
}

export interface ApiQuery extends Pick<ApiRequest, 'uid' | 'timeoutMs'> {
  readonly path: string;
}

export interface Api {
  /** POSTs with the named user's ID token. A 401 is tried once more with a renewed token. Never rejects. */
  post<Body>(request: ApiRequest): Promise<ApiAnswer<Body>>;
  /** The same for a GET; `path` with its query. */
  get<Body>(request: ApiQuery): Promise<ApiAnswer<Body>>;
}

interface ApiDeps {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly token: (uid: string, renew: boolean) => Promise<TokenAnswer>;
  /** Hears whether the service took a user's token, renewed where it had to be. */
  readonly judged?: (uid: string, accepted: boolean) => void;
  /** What requests of credits carry, and what their answers bring. */
  readonly version?: CarriedVersion;
  /** Called for every failed answer, with the correlation id under which the service logged it. */
  readonly warn?: (text: string) => void;
  /** Of the web page that asks: the service may not let it read answers. */
  readonly pageOrigin?: string | undefined;
}

const PROBE_MS = 3_000;

export function createApi({
  baseUrl,
  fetch,
  token,
  judged = () => {},
  version,
  warn = () => {},
  pageOrigin,
}: ApiDeps): Api {
  /** Whether the service has let this page read an answer. */
  let mayRead = pageOrigin === undefined;

  /**
   * Browsers say the same of a refused origin and of no connection. Without CORS the request arrives all the same, if
   * there is a connection.
   */
  async function isOriginRefused(): Promise<boolean> {
    if (mayRead) return false;
    try {
      await fetch(`${baseUrl}/credits/balance`, { mode: 'no-cors', signal: AbortSignal.timeout(PROBE_MS) });
    } catch {
      return false;
    }
    warn(`the service does not let ${pageOrigin} in. Add it to BILLING_WEB_ORIGINS and deploy`);
    return true;
  }

  interface Sent extends Pick<RequestInit, 'method' | 'body'> {
    readonly uid: string;
    readonly path: string;
    readonly timeoutMs: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly correlationId: string;
  }

  async function attempt<Body>(
    { uid, path, timeoutMs, correlationId, headers, ...sent }: Sent,
    renew: boolean,
  ): Promise<ApiAnswer<Body>> {
    const credential = await token(uid, renew);
    switch (credential.kind) {
      case 'token':
        break;
      case 'signed_out':
      case 'account_changed':
      case 'unreachable':
        return { kind: credential.kind };
      case 'unavailable':
        return { kind: 'problem', problem: problemOf(503, null), retryAfterMs: null };
      default:
        return credential satisfies never;
    }
    const carried = (path.startsWith('/credits/') && (await version?.of(uid))) || null;
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        ...sent,
        headers: {
          ...headers,
          ...(carried !== null && { [VERSION_HEADER]: carried }),
          authorization: `Bearer ${credential.token}`,
          'x-correlation-id': correlationId,
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      mayRead = true;
      const brought = response.headers.get(VERSION_HEADER);
      if (brought !== null) version?.brought(uid, brought);
      // Reading the body is part of the attempt: a connection that breaks in the middle of it loses the answer too.
      const body: unknown = await response.json().catch((error: unknown) => {
        if (error instanceof SyntaxError) return null;
        throw error;
      });
      if (response.ok && body !== null) return { kind: 'answered', body: body as Body };
      const problem = problemOf(response.ok ? 502 : response.status, body);
      if (problem.status >= 500) {
        const [route] = path.split('?');
        warn(`${route} was answered ${problem.status}; its correlation id is ${correlationId}`);
      }
      return {
        kind: 'problem',
        problem,
        retryAfterMs: retryAfter(response.headers.get('retry-after')),
      };
    } catch (error) {
      if (isTimeout(error)) return { kind: 'timeout' };
      if (!(await isOriginRefused())) return { kind: 'unreachable' };
      return { kind: 'problem', problem: problemOf(503, null), retryAfterMs: null };
    }
  }

  async function twice<Body>(sent: Sent): Promise<ApiAnswer<Body>> {
    const answer = await attempt<Body>(sent, false);
    if (!isUnauthenticated(answer)) return heard(sent.uid, answer);
    const second = await attempt<Body>(sent, true);
    if (!isUnauthenticated(second)) return heard(sent.uid, second);
    judged(sent.uid, false);
    return { kind: 'signed_out' };
  }
  /** A refusal for another reason than the token means that the token was accepted. */
  function heard<Body>(uid: string, answer: ApiAnswer<Body>): ApiAnswer<Body> {
    const isRefusal =
      answer.kind === 'problem' && answer.problem.status < 500 && answer.problem.status !== 429;
    if (answer.kind === 'answered' || isRefusal) judged(uid, true);
    return answer;
  }

  return {
    post: ({ uid, path, body, idempotencyKey, correlationId = crypto.randomUUID(), timeoutMs }) => {
      const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
      const headers = { 'content-type': 'application/json', ...key };
      const sent = { method: 'POST', headers, body: JSON.stringify(body), correlationId };
      return twice({ uid, path, timeoutMs, ...sent });
    },
    get: (query) => twice({ ...query, correlationId: crypto.randomUUID() }),
  };
}

/** A success that is not what the service answers: it may or may not have done what was asked. */
function unreadable(): ApiAnswer<never> {
  return { kind: 'problem', problem: problemOf(502, null), retryAfterMs: null };
}

function isUnauthenticated(answer: ApiAnswer<unknown>): boolean {
  return answer.kind === 'problem' && answer.problem.status === 401;
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Seconds only: the server sends no dates. */
function retryAfter(header: string | null): number | null {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

/** The body where it is a problem (RFC 9457); otherwise, as from a proxy, one made of the status alone. */
function problemOf(status: number, body: unknown): Problem {
  if (typeof body === 'object' && body !== null && 'code' in body && 'detail' in body) {
    return { ...(body as Problem), status };
  }
  return {
    type: 'about:blank',
    title: `HTTP ${status}`,
    status,
    code: status >= 500 || status === 429 ? 'temporarily_unavailable' : 'internal',
    detail: 'The billing service did not answer as it should. Try again in a moment.',
  };
}

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

type Ask = <Body>(
  request: Pick<ApiRequest, 'uid' | 'body' | 'idempotencyKey'> & { readonly path: CreditPath },
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
function isUndecided(answer: ApiAnswer<unknown>): boolean {
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
