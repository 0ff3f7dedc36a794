import type { Stripe } from 'stripe';
import { connectStripe } from '../../../../functions/src/stripe/client.ts';
import { type Environment, HOST, readPorts } from '../local/ports.ts';
import { SIMULATOR_SECRETS } from '../local/suite.ts';

/** Whom a script talks to, and with which key. */
export interface ProviderChoice {
  readonly key: string;
  /** The simulator's address; null is Stripe. */
  readonly base: string | null;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Chooses the provider: the key of the environment (PAYMENT_SECRET_KEY), else of `.secret.local`. The simulator's
 * own key leads to the simulator, at PAYMENT_API_BASE or its usual port; any other key leads to Stripe, always.
 *
 * With `isLive`, Stripe with the live key of the environment, and with no other.
 *
 * @throws Error when the key is not of the asked-for mode, or the simulator's address is not on this machine.
 */
export function chooseProvider(environment: Environment, stored: string, isLive = false): ProviderChoice {
  if (isLive) return { key: liveKeyOf(environment), base: null };
  const key = environment.PAYMENT_SECRET_KEY || stored;
  if (!/^(sk|rk)_test_\w{8,}$/.test(key)) {
    throw new Error(
      'PAYMENT_SECRET_KEY must be a test key (sk_test_…): in .secret.local or the environment.',
    );
  }
  if (key !== SIMULATOR_SECRETS.PAYMENT_SECRET_KEY) return { key, base: null };
  const base =
    environment.PROVIDER_BASE_URL ||
    environment.PAYMENT_API_BASE ||
    `http://${HOST}:${readPorts(environment).simulator}`;
  if (!LOOPBACK.includes(URL.parse(base)?.hostname ?? '')) {
    throw new Error('PAYMENT_API_BASE must be an address on this machine, such as http://127.0.0.1:4242.');
  }
  return { key, base };
}

function liveKeyOf({ PAYMENT_SECRET_KEY: key = '' }: Environment): string {
  if (/^(sk|rk)_live_\w{8,}$/.test(key)) return key;
  throw new Error(
    '--live takes a live key (sk_live_…) from the environment only, so that none lies in a file: ' +
      'read -rs PAYMENT_SECRET_KEY && export PAYMENT_SECRET_KEY, paste the key, then run this again.',
  );
}

/** The official SDK, pointed at the choice. */
export function connect({ key, base }: ProviderChoice): Promise<Stripe> {
  return connectStripe({ providerSecretKey: key, providerApiBase: base });
}

/** Enough of a secret to tell it from another, and no more. */
export function redact(secret: string): string {
  return `${secret.slice(0, secret.startsWith('whsec_') ? 6 : 8)}…${secret.slice(-4)}`;
}
