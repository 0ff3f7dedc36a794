// Stripe's own checker of requests: it answers nothing that is remembered, and refuses what Stripe's document does
// not allow.
import { join } from 'node:path';
import { cacheFolder, onPath } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

export const STRIPE_MOCK_VERSION = '0.203.0';

export const WAYS_TO_STRIPE_MOCK = `Requests are held to Stripe's document by stripe-mock ${STRIPE_MOCK_VERSION}. Any one of these brings it:
  - install Go 1.24 or newer (https://go.dev/dl) and run this again: it builds stripe-mock once, about half a minute
  - put a stripe-mock of that version on PATH, or its path in the variable STRIPE_MOCK`;

/** @param {Machine} machine */
export function stripeMockFolder(machine) {
  return join(cacheFolder(machine), `stripe-mock-${STRIPE_MOCK_VERSION}`);
}

/**
 * stripe-mock where it is already: the variable STRIPE_MOCK, the project's cache, PATH.
 *
 * @param {Machine} machine
 * @returns {string | undefined}
 */
export function findStripeMock(machine) {
  const named = machine.environment.STRIPE_MOCK;
  if (named) return machine.isExecutable(named) ? named : undefined;
  const candidates = [join(stripeMockFolder(machine), 'stripe-mock'), ...onPath(machine, 'stripe-mock')];
  return candidates.find(machine.isExecutable);
}
