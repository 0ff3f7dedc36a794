// Stripe's own command line, which works against the simulator as it does against Stripe.
import { join } from 'node:path';
import { cacheFolder, onPath } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

export const STRIPE_CLI_VERSION = '1.44.0';

export const WAYS_TO_STRIPE_CLI = `These tests run Stripe's CLI ${STRIPE_CLI_VERSION}. Any one of these does:
  - install Go 1.24 or newer (https://go.dev/dl) and run this again: it builds the CLI once, about 2 minutes
  - put a stripe from https://docs.stripe.com/stripe-cli on PATH, or its path in the variable STRIPE_CLI`;

/** @param {Machine} machine */
export function stripeCliFolder(machine) {
  return join(cacheFolder(machine), `stripe-cli-${STRIPE_CLI_VERSION}`);
}

/**
 * The CLI where it is already: the variable STRIPE_CLI, the project's cache, PATH.
 *
 * @param {Machine} machine
 * @returns {string | undefined}
 */
export function findStripeCli(machine) {
  const named = machine.environment.STRIPE_CLI;
  if (named) return machine.isExecutable(named) ? named : undefined;
  const candidates = [join(stripeCliFolder(machine), 'stripe'), ...onPath(machine, 'stripe')];
  return candidates.find(machine.isExecutable);
}
