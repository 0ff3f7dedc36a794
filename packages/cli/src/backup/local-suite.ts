import { fileURLToPath } from 'node:url';
import { type Environment, readPorts } from '../../../../tools/ports.ts';
import {
  readSecrets,
  type Secrets,
  suiteVariables,
  usesSimulator,
} from '../../../../tools/suite/settings.ts';
import { CannotConnect } from '../support/connect.ts';
import { type Addresses, addressesOf } from './move-addresses.ts';

/** The suite that runs on this machine, as a backup sees it. */
export interface LocalSuite {
  readonly addresses: Addresses;
  readonly firestore: string;
  readonly auth: string;
  /** The simulator's address; null where the provider is Stripe's test mode, which nobody can put back. */
  readonly provider: string | null;
  readonly secrets: Secrets;
}

/** @throws CannotConnect when no suite runs here */
export async function findSuite(environment: Environment): Promise<LocalSuite> {
  const secrets = readSecrets(fileURLToPath(new URL('../../../../.secret.local', import.meta.url)));
  const variables = suiteVariables(readPorts(environment), secrets);
  const given = Object.keys(variables).flatMap((name) =>
    environment[name] ? [[name, environment[name]]] : [],
  );
  const at: Record<string, string> = { ...variables, ...Object.fromEntries(given) };
  const { FIRESTORE_EMULATOR_HOST: firestore = '', FIREBASE_AUTH_EMULATOR_HOST: auth = '' } = at;
  for (const host of [firestore, auth]) {
    await fetch(`http://${host}/`).catch(() => {
      throw new CannotConnect(`No suite is running here: nothing answers at ${host}. Start one: npm start.`);
    });
  }
  const provider = usesSimulator(secrets) ? (at.PROVIDER_BASE_URL ?? null) : null;
  return { addresses: addressesOf(at), firestore, auth, provider, secrets };
}
