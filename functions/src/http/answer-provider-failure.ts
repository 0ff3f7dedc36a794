import type { Response } from 'express';
import type { Logger } from '../deps.ts';
import { describeProviderFailure } from '../provider/failure.ts';
import { sendProblem } from './answer.ts';

const TRY_AGAIN = 'The payment provider could not do this now; try again shortly.';

/** Answers 502 where the provider failed or refused; anything else is thrown on to the error mapper. */
export function answerProviderFailure(
  res: Response,
  log: Logger,
  error: unknown,
  detail: string = TRY_AGAIN,
): void {
  const failure = describeProviderFailure(error);
  if (failure === null) throw error;
  log.error('provider_failed', { ...failure });
  sendProblem(res, 'provider_unavailable', detail);
}
