import type { Request, RequestHandler } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { AppDeps } from '../deps.ts';
import { userOf } from './authenticate.ts';

/** One user asks too often: the error mapper answers 429 with `Retry-After`. */
export class TooManyRequests extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, what = 'requests') {
    super(`Too many ${what} from this user; try again in ${retryAfterSeconds} s.`);
    this.name = 'TooManyRequests';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * At most `burst` requests of a user to this instance in the time in which `perSecond` allows as many. It keeps one
 * runaway client from using up an instance; it is not an exact quota across instances. Behind `requireUser`.
 *
 * A user is forgotten when that time is over, so the memory is bounded by the requests that an instance can answer
 * in it.
 */
export function limitRate(deps: Pick<AppDeps, 'config'>): RequestHandler {
  const { perSecond, burst } = deps.config.rateLimit;
  return limitCost({ what: 'requests', points: burst, seconds: Math.max(1, burst / perSecond) });
}

/** `points` of a user in each `seconds`; `what` they buy, for the refusal. */
export interface Budget {
  readonly what: string;
  readonly points: number;
  readonly seconds: number;
}

/**
 * Takes what a request costs from a budget that its user has on this instance: requests are not equally dear, and what
 * is paid for by the document or shared at the provider is bounded by that. Behind `requireUser`.
 */
export function limitCost(
  { what, points, seconds }: Budget,
  costOf: (req: Request) => number = () => 1,
): RequestHandler {
  const limiter = new RateLimiterMemory({ points, duration: seconds });

  return async (req, res, next) => {
    try {
      await limiter.consume(userOf(res), costOf(req));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new TooManyRequests(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)), what);
    }
    next();
  };
}
