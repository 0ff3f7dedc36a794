import { Stripe } from 'stripe';
import { findEndpoint, missingEvents } from '../stripe/register-webhook.ts';
import { differsFrom, findConfiguration, SAVE_ONCE } from '../stripe/set-portal.ts';
import { type Finding, fine, problem } from './finding.ts';

/** That the provider answers this key at all; everything else that is asked of it hangs on this. */
export async function checkAnswer(stripe: Stripe): Promise<Finding> {
  try {
    await stripe.products.list({ limit: 1 });
    return fine('provider: answers');
  } catch (error) {
    if (error instanceof Stripe.errors.StripeAuthenticationError) {
      return problem(
        'keys: the provider refuses the secret key',
        'Put a valid sk_test_… into .secret.local.',
      );
    }
    if (error instanceof Stripe.errors.StripePermissionError) {
      return problem(
        'keys: the secret key may not read the catalog',
        'Give the restricted key the rights, or use sk_test_….',
      );
    }
    const why = error instanceof Error ? error.message : String(error);
    return problem(`provider: no answer (${why})`, 'Is the network, or the simulator (npm start), up?');
  }
}

/**
 * The portal's configuration.
 *
 * @param needsDefault whether the account must have saved its default: Stripe's portal opens only then, the
 * simulator's always.
 */
export async function checkPortal(stripe: Stripe, needsDefault: boolean): Promise<Finding> {
  const configuration = await findConfiguration(stripe);
  if (needsDefault && configuration?.is_default !== true) {
    return problem('portal: the account has no default settings yet', SAVE_ONCE);
  }
  const wrong = configuration === undefined ? [] : differsFrom(configuration);
  if (wrong.length === 0) return fine('portal: cancels at the period’s end, no switching, no pausing');
  return problem(`portal: ${wrong.join(', ')} not as the service needs`, 'npm run stripe:setup mends it.');
}

/** @param url the address that the service's events are delivered to */
export async function checkEndpoint(stripe: Stripe, url: string): Promise<Finding> {
  const endpoint = await findEndpoint(stripe, url);
  const setUp = `npm run stripe:setup -- --endpoint ${url}`;
  if (endpoint === undefined) return problem(`endpoint: ${url} is not registered`, `${setUp} registers it.`);
  if (endpoint.status !== 'enabled') return problem('endpoint: is disabled', `${setUp} switches it on.`);
  const missing = missingEvents(endpoint);
  if (missing.length > 0) return problem(`endpoint: gets no ${missing.join(', ')}`, `${setUp} adds them.`);
  if (endpoint.api_version !== Stripe.API_VERSION) {
    return problem(
      `endpoint: its events have the version ${endpoint.api_version ?? 'of the account'}`,
      `Delete it in the Dashboard, then ${setUp} makes it with ${Stripe.API_VERSION}.`,
    );
  }
  return fine(`endpoint: ${url} gets every event`);
}
