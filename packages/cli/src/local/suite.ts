import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { type Environment, HOST, type Ports } from './ports.ts';

/** The checkout that these commands belong to. */
export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');

export const PROJECT_ID = 'demo-extension-billing';
/** Where a function runs whose BILLING_REGION says nothing (functions/src/config.ts). */
export const REGION = 'us-central1';
export const FUNCTION_NAME = 'api';
/** The id that the extension's fixed manifest key gives it. */
export const LOCAL_EXTENSION_ID = 'keggfklddlhbjeolakknnaliambbpajm';
/** Its id in Firefox, from the manifest of that build. */
export const LOCAL_FIREFOX_ID = 'demo@extension-billing.example';

/** Where a web app is while it is developed: vite's own port. */
const LOCAL_WEB_ORIGINS = 'http://127.0.0.1:5173,http://localhost:5173';

export const SIMULATOR_SECRETS: Secrets = {
  PAYMENT_SECRET_KEY: 'sk_test_simulator0000000000',
  PAYMENT_WEBHOOK_SECRET: 'whsec_simulator_0000000000000000000000000000',
};

export interface Secrets {
  readonly PAYMENT_SECRET_KEY: string;
  readonly PAYMENT_WEBHOOK_SECRET: string;
}

/**
 * Reads `.secret.local`; without one, or with a value missing, the simulator's own.
 *
 * @param key takes the place of the file's PAYMENT_SECRET_KEY, where it is given
 * @throws Error when the key is a live one: the local suite never touches real money.
 */
export function readSecrets(file: string, key?: string): Secrets {
  const found = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const secrets = {
    PAYMENT_SECRET_KEY: key || found.PAYMENT_SECRET_KEY || SIMULATOR_SECRETS.PAYMENT_SECRET_KEY,
    PAYMENT_WEBHOOK_SECRET: found.PAYMENT_WEBHOOK_SECRET || SIMULATOR_SECRETS.PAYMENT_WEBHOOK_SECRET,
  };
  if (/^(sk|rk)_live_/.test(secrets.PAYMENT_SECRET_KEY)) {
    throw new Error('The secret key is a live key. The local suite takes test keys only (sk_test_…).');
  }
  return secrets;
}

/** Whether the provider is the simulator: the key is its own, not one of a Stripe account. */
export function usesSimulator(secrets: Secrets): boolean {
  return secrets.PAYMENT_SECRET_KEY === SIMULATOR_SECRETS.PAYMENT_SECRET_KEY;
}

/** What a command run by the suite finds in its environment; the provider's address only for the simulator. */
export function suiteVariables(ports: Ports, secrets: Secrets): Record<string, string> {
  const at = (port: number): string => `http://${HOST}:${port}`;
  return {
    GCLOUD_PROJECT: PROJECT_ID,
    BILLING_BASE_URL: `${at(ports.functions)}/${PROJECT_ID}/${REGION}/${FUNCTION_NAME}`,
    BILLING_DIRECT_URL: at(ports.direct),
    ...(usesSimulator(secrets) ? { PROVIDER_BASE_URL: at(ports.simulator) } : {}),
    PAYMENT_WEBHOOK_SECRET: secrets.PAYMENT_WEBHOOK_SECRET,
    FIRESTORE_EMULATOR_HOST: `${HOST}:${ports.firestore}`,
    FIREBASE_AUTH_EMULATOR_HOST: `${HOST}:${ports.auth}`,
    RETURN_BASE_URL: at(ports.returnPages),
    // Google's client libraries otherwise look for a server that tells machines in Google's cloud who they are.
    METADATA_SERVER_DETECTION: 'none',
  };
}

/**
 * The function's parameters for the local suite. One set in the environment (`BILLING_TRIAL_DAYS=3 npm start`)
 * wins over its default.
 */
export function functionParameters(
  ports: Ports,
  secrets: Secrets,
  environment: Environment,
): Record<string, string> {
  const pages = `http://${HOST}:${ports.returnPages}/billing`;
  const extensionIds = environment.BILLING_EXTENSION_IDS || `${LOCAL_EXTENSION_ID},${LOCAL_FIREFOX_ID}`;
  const query = `?extension=${extensionIds.split(',')[0]?.trim()}`;
  const defaults = {
    BILLING_SUCCESS_URL: `${pages}/success.html${query}`,
    BILLING_CANCEL_URL: `${pages}/cancel.html${query}`,
    BILLING_PORTAL_RETURN_URL: `${pages}/portal-return.html${query}`,
    BILLING_TRIAL_DAYS: '',
    BILLING_AUTOMATIC_TAX: 'false',
    BILLING_ALLOW_PROMO_CODES: 'false',
    BILLING_DISABLED: 'false',
    BILLING_EXTENSION_IDS: extensionIds,
    BILLING_WEB_ORIGINS: LOCAL_WEB_ORIGINS,
    BILLING_SERVICE_ACCOUNTS: '',
    BILLING_SERVICE_AUDIENCE: '',
  };
  const chosen = Object.entries(defaults).map(([name, value]) => [name, environment[name] || value]);
  return {
    ...Object.fromEntries(chosen),
    PAYMENT_API_BASE: usesSimulator(secrets) ? `http://${HOST}:${ports.simulator}` : '',
  };
}

/** Where the suite listens, as `npm run suite` hands it to its command. */
export interface SuiteAddresses {
  readonly billing: string;
  /** The simulator's address; empty where the provider is Stripe. */
  readonly provider: string;
  readonly firestoreEmulator: string;
  readonly authEmulator: string;
  readonly project: string;
}

/** @throws Error naming the missing variable, and the command that sets it. */
export function readAddresses(environment: Environment): SuiteAddresses {
  const read = (name: string): string => {
    const value = environment[name];
    if (value === undefined || value === '') {
      throw new Error(`${name} is not set. Run this through "npm run scenario", which brings the suite up.`);
    }
    return value;
  };
  return {
    billing: read('BILLING_DIRECT_URL'),
    provider: environment.PROVIDER_BASE_URL ?? '',
    firestoreEmulator: read('FIRESTORE_EMULATOR_HOST'),
    authEmulator: read('FIREBASE_AUTH_EMULATOR_HOST'),
    project: read('GCLOUD_PROJECT'),
  };
}
