import { type Config, readConfig } from '../../src/config.ts';

/** An environment that is complete and right, as the local suite sets it. */
export const LOCAL_ENVIRONMENT = {
  FUNCTIONS_EMULATOR: 'true',
  PAYMENT_SECRET_KEY: 'sk_test_simulator0000000000',
  PAYMENT_WEBHOOK_SECRET: 'whsec_simulator_0000000000000000000000000000',
  BILLING_SUCCESS_URL: 'http://127.0.0.1:5056/billing/success.html',
  BILLING_CANCEL_URL: 'http://127.0.0.1:5056/billing/cancel.html',
  BILLING_PORTAL_RETURN_URL: 'http://127.0.0.1:5056/billing/portal-return.html',
  BILLING_EXTENSION_IDS: 'keggfklddlhbjeolakknnaliambbpajm',
} as const;

const { FUNCTIONS_EMULATOR: _, ...OUTSIDE } = LOCAL_ENVIRONMENT;

/** The same for a function outside the emulator, which takes none of the simulator's secrets. */
export const DEPLOYED_ENVIRONMENT = {
  ...OUTSIDE,
  PAYMENT_SECRET_KEY: 'sk_test_of_no_account_1234',
  PAYMENT_WEBHOOK_SECRET: 'whsec_of_no_endpoint_1234',
  // Firebase's tools deploy with it: the framework then puts an id into each line of a request.
  LOG_EXECUTION_ID: 'true',
} as const;

export function aConfig(overrides: Partial<Config> = {}): Config {
  return { ...readConfig(LOCAL_ENVIRONMENT), ...overrides };
}
