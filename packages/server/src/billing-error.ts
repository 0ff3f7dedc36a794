import type { ErrorCode } from '@extension-billing/contract/problems';

/**
 * `unreachable`: no usable answer within the time. `unexpected_answer`: something else than the service answered.
 * `outcome_unknown`: a settle that may or may not have been carried out. `not_configured`: something that
 * `createBilling` was not given.
 */
export type BillingErrorCode =
  | ErrorCode
  | 'unreachable'
  | 'unexpected_answer'
  | 'outcome_unknown'
  | 'not_configured';

interface About {
  /** HTTP status of the answer; absent where there was none. */
  readonly status?: number;
  /** The request's `X-Correlation-Id`: the service's log lines carry it. */
  readonly correlationId?: string;
  readonly cause?: unknown;
  readonly isOutcomeUnknown?: boolean;
  readonly reservation?: string;
  readonly result?: unknown;
}

/**
 * What should not happen: a key that is not taken, a feature that is not in the catalogue, a service that cannot be
 * reached. What may happen on any day (no credits, a plan is needed) is a value instead. The message says what to do,
 * and holds no key, no token and nothing of a user.
 */
export class BillingError extends Error {
  readonly code: BillingErrorCode;
  readonly status: number | null;
  readonly correlationId: string | null;
  /** What was asked for may have been done: the same call with the same key says so, or does it. */
  readonly isOutcomeUnknown: boolean;
  /** The reservation whose end is not known: it frees itself at its expiry, unless it was settled. */
  readonly reservation: string | null;
  /** What `withCredits`'s work returned, where only the settle failed; undefined otherwise. */
  readonly result: unknown;

  constructor(code: BillingErrorCode, message: string, about: About = {}) {
    super(message, { cause: about.cause });
    this.name = 'BillingError';
    this.code = code;
    this.status = about.status ?? null;
    this.correlationId = about.correlationId ?? null;
    this.isOutcomeUnknown = about.isOutcomeUnknown ?? false;
    this.reservation = about.reservation ?? null;
    this.result = about.result;
  }
}
