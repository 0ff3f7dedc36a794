import { readFileSync } from 'node:fs';
import { invalidRequest } from '../http/errors.ts';

/** What the pinned SDK's types have on top of the document that the list is generated from. */
const NEWER = [
  'apps.install.created',
  'apps.install.deleted',
  'apps.install.updated',
  'three_d_secure.authentication.canceled',
  'three_d_secure.authentication.challenge_started',
  'three_d_secure.authentication.errored',
  'three_d_secure.authentication.failed',
  'three_d_secure.authentication.requires_challenge',
  'three_d_secure.authentication.requires_submission',
  'three_d_secure.authentication.succeeded',
];

const generated: string[] = JSON.parse(
  readFileSync(new URL('../generated/event-types.json', import.meta.url), 'utf8'),
);
const known = new Set([...generated, ...NEWER]);

/**
 * Refuses types of events that Stripe does not have.
 * @throws StripeApiError 400 naming the first of them
 */
export function checkEventTypes(types: readonly string[]): void {
  const index = types.findIndex((type) => !known.has(type));
  if (index < 0) return;
  throw invalidRequest(
    `Invalid enabled_events[${index}]: ${types[index]} is not a type of event that Stripe has.`,
    `enabled_events[${index}]`,
  );
}
