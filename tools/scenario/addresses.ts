import type { Environment } from '../ports.ts';

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
