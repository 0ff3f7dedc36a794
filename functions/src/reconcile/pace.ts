import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { connectStripe, type StripeClient } from '../stripe/client.ts';

/** The provider's client for the comparison: all its calls together keep the rate that the owner sets. */
export function pacedStripe(
  config: Pick<Config, 'providerSecretKey' | 'providerApiBase' | 'providerCallsPerSecond'>,
): () => Promise<StripeClient> {
  const connected = connectStripe(config, { pace: paceOf(config.providerCallsPerSecond) });
  return () => connected;
}

/** Waits for one's turn, of so many in a second: one after the other, so that no second has twice as many. */
export function paceOf(perSecond: number): () => Promise<void> {
  const turns = new RateLimiterQueue(new RateLimiterMemory({ points: 1, duration: 1 / perSecond }));
  return async () => {
    await turns.removeTokens(1);
  };
}
