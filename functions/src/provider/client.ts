import type { Stripe } from 'stripe';
import type { Config } from '../config.ts';

/** Where the provider is and who asks. */
export type ProviderAccess = Pick<Config, 'providerSecretKey' | 'providerApiBase'>;

/**
 * A checkout waits for the provider while a person watches, and holds one of the instance's places meanwhile. With one
 * repetition a call ends within 15 s, which is half of what a request has (app.ts).
 */
const TIMEOUT_MS = 7_000;

/**
 * The provider's client, loaded at its first use and then kept: consume and balance never pay for it.
 * It talks to the simulator where the configuration names one (design, section 6).
 */
export function lazyStripe(config: ProviderAccess): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined;
  return () => {
    client ??= connect(config);
    return client;
  };
}

async function connect(config: ProviderAccess): Promise<Stripe> {
  const { Stripe } = await import('stripe');
  return new Stripe(config.providerSecretKey, {
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
    appInfo: { name: 'extension-billing' },
    ...addressOf(config.providerApiBase),
  });
}

function addressOf(base: string | null): { host: string; port: string; protocol: 'http' | 'https' } | object {
  if (base === null) return {};
  const url = new URL(base);
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  return { host: url.hostname, port: url.port || (protocol === 'https' ? '443' : '80'), protocol };
}
