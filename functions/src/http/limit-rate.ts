import type { RequestHandler } from 'express';
import type { AppDeps } from '../deps.ts';
import { userOf } from './authenticate.ts';

/** One user asks too often: the error mapper answers 429 with `Retry-After`. */
export class TooManyRequests extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`Too many requests from this user; try again in ${retryAfterSeconds} s.`);
    this.name = 'TooManyRequests';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Bucket {
  tokens: number;
  /** When `tokens` was last brought up to date, in milliseconds. */
  at: number;
}

/** Users remembered per instance; the one seen longest ago goes first, with a full bucket at its return. */
const REMEMBERED_USERS = 10_000;

/**
 * A token bucket per user and instance: `burst` requests at once, refilled at `perSecond`. It keeps one
 * runaway client from using up an instance; it is not an exact quota across instances. Behind `requireUser`.
 */
export function limitRate(deps: Pick<AppDeps, 'config' | 'now'>): RequestHandler {
  const { perSecond, burst } = deps.config.rateLimit;
  const buckets = new Map<string, Bucket>();

  return (_req, res, next) => {
    const uid = userOf(res);
    const now = deps.now();
    const bucket = refill(buckets.get(uid), now);
    buckets.delete(uid);
    buckets.set(uid, bucket);
    if (buckets.size > REMEMBERED_USERS) {
      const [longestAgo] = buckets.keys();
      if (longestAgo !== undefined) buckets.delete(longestAgo);
    }
    if (bucket.tokens < 1) throw new TooManyRequests(Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    next();
  };

  function refill(bucket: Bucket | undefined, now: number): Bucket {
    if (bucket === undefined) return { tokens: burst, at: now };
    const seconds = Math.max(0, now - bucket.at) / 1000;
    return { tokens: Math.min(burst, bucket.tokens + seconds * perSecond), at: now };
  }
}
