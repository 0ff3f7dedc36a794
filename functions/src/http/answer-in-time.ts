import type { RequestHandler } from 'express';
import { sendProblem } from './answer.ts';
import { logOf } from './correlate.ts';

/**
 * Answers 503 with `Retry-After` when a request has no answer after `withinMs`, so that no caller is left to the
 * platform's own limit, which answers with a page. What is under way goes on: its outcome is found by the same
 * idempotency key, or by the provider's next delivery.
 */
export function answerInTime(withinMs: number): RequestHandler {
  return (req, res, next) => {
    const timer = setTimeout(() => {
      if (res.headersSent) return;
      logOf(res).error('not_answered_in_time', { method: req.method, path: req.path, withinMs });
      res.setHeader('Retry-After', '1');
      // A body that is still on its way will not be read to its end.
      if (!req.complete) res.setHeader('Connection', 'close');
      sendProblem(res, 'temporarily_unavailable', 'This took too long; send the very same request again.');
    }, withinMs);
    res.once('close', () => clearTimeout(timer));
    next();
  };
}
