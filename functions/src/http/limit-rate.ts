import type { RequestHandler } from 'express';
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
  const limiter = new RateLimiterMemory({ points: burst, duration: Math.max(1, burst / perSecond) });

  return async (_req, res, next) => {
    try {
      await limiter.consume(userOf(res));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new TooManyRequests(Math.max(1, Math.ceil(refused.msBeforeNext / 1000)));
    }
    next();
  };
}
