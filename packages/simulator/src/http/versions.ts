import { API_VERSION } from '../state/world.ts';
import { invalidRequest } from './errors.ts';

/** Since then periods are on a subscription's items and an invoice names its subscription in `parent`. */
const OLDEST = '2025-03-31';

const dateOf = (version: string): string => version.slice(0, OLDEST.length);

/**
 * Refuses an API version that Stripe doesn't have, or whose objects look different from the simulator's.
 *
 * @param version as a request or an endpoint names it; undefined if it doesn't
 * @throws StripeApiError 400 naming the parameter
 */
export function checkVersion(version: string | undefined, param: string): void {
  if (version === undefined) return;
  if (!/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(version) || dateOf(version) > dateOf(API_VERSION))
    throw invalidRequest(`Invalid Stripe API version: ${version}`, param);
  if (dateOf(version) < OLDEST)
    throw invalidRequest(
      `The simulator has API versions from ${OLDEST} on, and not ${version}, whose objects have other fields. Use a newer version, or try it with a test key of your own.`,
      param,
    );
}
