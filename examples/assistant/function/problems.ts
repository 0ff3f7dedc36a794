import type { HoldRefusal } from '@extension-billing/server';

/** A refusal. Its form on the wire is OpenAI's. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param?: string | null;
  readonly retryAfterSeconds?: number | null;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Returns OpenAI's error object, for a refusal's body and for an event in a stream. */
export function errorBody({ status, code, message, param = null }: Problem): object {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { message, type, param, code };
}

export const PROBLEMS = {
  unauthenticated: {
    status: 401,
    code: 'invalid_api_key',
    message: 'Send the ID token of a signed-in user as the API key; it may have expired.',
  },
  notFound: {
    status: 404,
    code: 'not_found',
    message: 'Not found. Use POST /v1/chat/completions or GET /v1/models.',
  },
  tooLarge: { status: 413, code: 'payload_too_large', message: 'The request is too large.' },
  billingUnavailable: {
    status: 503,
    code: 'billing_unavailable',
    message: 'Credits can’t be checked right now, and nothing was charged. Retry shortly.',
    retryAfterSeconds: 1,
  },
  upstreamFailed: {
    status: 502,
    code: 'upstream_failed',
    message: 'The model failed before its answer began. Nothing was charged.',
  },
  upstreamBusy: {
    status: 429,
    code: 'upstream_busy',
    message: 'The model is busy. Nothing was charged. Retry shortly.',
  },
  upstreamRefused: {
    status: 400,
    code: 'upstream_refused',
    message: 'The model rejected this request. Nothing was charged.',
  },
  brokenOff: {
    status: 502,
    code: 'upstream_failed',
    message: 'The model failed in the middle of its answer. The part that arrived was charged.',
  },
} as const satisfies Readonly<Record<string, Problem>>;

export function badRequest(param: string | null, message: string): Problem {
  return { status: 400, code: 'invalid_request', message, param };
}

export function modelNotFound(model: string, known: readonly string[]): Problem {
  const message = `There is no model "${model.slice(0, 60)}". Available models: ${known.join(', ')}.`;
  return { status: 404, code: 'model_not_found', message, param: 'model' };
}

export function tooLong(most: number, hold: number): Problem {
  const message = `This could cost ${most} credits; the limit for a call is ${hold}. Send less, or lower max_completion_tokens.`;
  return { status: 400, code: 'context_length_exceeded', message, param: 'messages' };
}

/** Returns what to tell the caller if the billing service refuses the hold. */
export function refusedHold(refusal: HoldRefusal): Problem {
  const { reason, detail, balance, entitlement, retryAfterSeconds = 1 } = refusal;
  switch (reason) {
    case 'credits_exhausted':
    case 'free_ceiling_reached': {
      const left = balance === undefined ? '' : ` You have ${balance}.`;
      const message = `Not enough credits for what this call could cost.${left} Nothing was charged.`;
      return { status: 402, code: reason, message };
    }
    case 'plan_required': {
      const which = entitlement === undefined ? 'a plan' : `a plan with "${entitlement}"`;
      return { status: 403, code: reason, message: `This needs ${which}.` };
    }
    // The published catalogue holds less than the one that this was built with.
    case 'amount_above_hold':
      return {
        status: 400,
        code: 'context_length_exceeded',
        message: 'This could cost more than a call may.',
      };
    case 'too_many_reservations':
      return { status: 429, code: reason, message: 'Too many calls are running. Wait for one to end.' };
    case 'too_many_requests':
      return { status: 429, code: reason, message: detail, retryAfterSeconds };
    // Each call has a key of its own.
    case 'idempotency_key_reused':
      return PROBLEMS.billingUnavailable;
    default:
      return reason satisfies never;
  }
}

/** Returns what to tell the caller if the upstream refuses. Its own words may name the owner's account. */
export function refusedByUpstream(status: number | null, retryAfterSeconds: number | null): Problem {
  if (status === 429) return { ...PROBLEMS.upstreamBusy, retryAfterSeconds };
  return status === 400 || status === 413 ? PROBLEMS.upstreamRefused : PROBLEMS.upstreamFailed;
}
