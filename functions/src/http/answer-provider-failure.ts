import type { Response } from 'express';
import type { Logger } from '../log.ts';
import { describeProviderFailure } from '../provider/failure.ts';
import { sendProblem } from './answer.ts';

const TRY_AGAIN = 'The payment provider could not do this now; try again shortly.';

/** Answers 502 with `Retry-After` where the provider failed, refused or is over its limit; anything else is thrown on to the error mapper. */
export function answerProviderFailure(
  res: Response,
  log: Logger,
  error: unknown,
  detail: string = TRY_AGAIN,
): void {
  const failure = describeProviderFailure(error);
  if (failure === null) throw error;
  const { retryAfterSeconds, ...described } = failure;
  log.error('provider_failed', described);
  res.setHeader('Retry-After', String(retryAfterSeconds));
  sendProblem(res, 'provider_unavailable', detail);
}
