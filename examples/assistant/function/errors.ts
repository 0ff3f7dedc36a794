import type { BadRequest } from '../gateway/chat-request.ts';
import type { Refused } from './charging.ts';

/** A refusal, in the form in which OpenAI's clients read it. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param?: string | null;
  readonly retryAfterSeconds?: number;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** The body of a refusal, and of an event in a stream that can no longer have another status. */
export function errorBody({ status, code, message, param = null }: Problem): object {
  return {
    message,
    type: TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'),
    param,
    code,
  };
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
    message: 'There are POST /v1/chat/completions and GET /v1/models.',
  },
  tooLarge: { status: 413, code: 'payload_too_large', message: 'The request is too large.' },
  tooSlow: { status: 408, code: 'request_timeout', message: 'The request came too slowly.' },
  billingUnavailable: {
    status: 503,
    code: 'billing_unavailable',
    message: 'Credits cannot be checked at the moment, and nothing was charged. Try again shortly.',
    retryAfterSeconds: 1,
  },
  upstreamFailed: {
    status: 502,
    code: 'upstream_failed',
    message: 'The model failed before its first word. Nothing was charged.',
  },
  upstreamBusy: {
    status: 429,
    code: 'upstream_busy',
    message: 'The model takes no more requests at the moment. Nothing was charged.',
  },
  upstreamRefused: {
    status: 400,
    code: 'upstream_refused',
    message: 'The model does not take this request. Nothing was charged.',
  },
  brokenOff: {
    status: 502,
    code: 'upstream_failed',
    message: 'The model failed in the middle of its answer. What came until then was charged.',
  },
} as const satisfies Readonly<Record<string, Problem>>;

export function badRequest({ param, message }: BadRequest): Problem {
  return { status: 400, code: 'invalid_request', message, param };
}

export function modelNotFound(model: string, known: readonly string[]): Problem {
  const message = `There is no model "${model.slice(0, 60)}" here. There are: ${known.join(', ')}.`;
  return { status: 404, code: 'model_not_found', message, param: 'model' };
}

export function tooLong(most: number, hold: number): Problem {
  const message = `This could cost ${most} credits, and a call may cost ${hold} at most: send less, or lower max_completion_tokens.`;
  return { status: 400, code: 'context_length_exceeded', message, param: 'messages' };
}

/** What the billing service's refusal to hold means to who asked. */
export function refusedHold({ reason, detail, balance, entitlement, retryAfterSeconds }: Refused): Problem {
  switch (reason) {
    case 'credits_exhausted':
    case 'free_ceiling_reached': {
      const left = balance === undefined ? '' : ` ${balance} can be spent.`;
      const message = `There are not enough credits for what this call can cost.${left} Nothing was charged.`;
      return { status: 402, code: reason, message };
    }
    case 'plan_required': {
      const which = entitlement === undefined ? 'a plan' : `a plan with "${entitlement}"`;
      return { status: 403, code: reason, message: `This needs ${which}.` };
    }
    // The catalogue that is in force holds less than the one that this was built with.
    case 'amount_above_hold':
      return { status: 400, code: 'context_length_exceeded', message: 'This may cost more than a call may.' };
    case 'account_deleted':
      return { status: 403, code: reason, message: 'This account was deleted.' };
    case 'too_many_reservations':
      return { status: 429, code: reason, message: 'Too many calls are running. Wait for one to end.' };
    case 'too_many_requests':
      return { status: 429, code: reason, message: detail, retryAfterSeconds: retryAfterSeconds ?? 1 };
    default:
      return PROBLEMS.billingUnavailable;
  }
}

/** What an upstream's refusal means to who asked. Its own words, and a wrong key of ours, are for the log. */
export function refusedByUpstream(status: number | null, retryAfterSeconds: number | null): Problem {
  if (status === 429) {
    return { ...PROBLEMS.upstreamBusy, ...(retryAfterSeconds !== null && { retryAfterSeconds }) };
  }
  return status === 400 || status === 413 ? PROBLEMS.upstreamRefused : PROBLEMS.upstreamFailed;
}
