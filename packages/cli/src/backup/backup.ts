import { join } from 'node:path';
import { type Environment, readPorts } from '../local/ports.ts';
import { ROOT, readSecrets, type Secrets, suiteVariables, usesSimulator } from '../local/suite.ts';
import { CannotConnect } from '../support/connect.ts';
import { readDocuments, readUsers, replaceDocuments, replaceUsers } from './emulators.ts';
import {
  type Addresses,
  addressesOf,
  type Manifest,
  movingAddresses,
  openBackup,
  writeBackup,
} from './folder.ts';
import { type ProviderState, quieten, restoreProvider, signedWith, whileHeld } from './provider-state.ts';

/** Writes everything that the suite on this machine holds into a new folder. @throws CannotConnect when none runs. */
export async function backUpInto(folder: string): Promise<0> {
  console.log(`${describe(await backUp(await findSuite(process.env), folder))} are in ${folder}`);
  return 0;
}

/** Puts what a folder holds in place of everything in the suite. @throws CannotConnect when none runs. */
export async function restoreFrom(folder: string): Promise<0> {
  console.log(`${describe(await restore(await findSuite(process.env), folder))} are back from ${folder}`);
  return 0;
}

function describe({ documents, users, files, madeAt }: Manifest): string {
  const provider = 'simulator.json' in files ? ' and the simulator’s state' : '';
  return `${documents} documents, ${users} users${provider} of ${madeAt.slice(0, 16).replace('T', ' ')}Z`;
}

/** The suite that runs on this machine, as a backup sees it. */
interface LocalSuite {
  readonly addresses: Addresses;
  readonly firestore: string;
  readonly auth: string;
  /** The simulator's address; null where the provider is Stripe's test mode, which nobody can put back. */
  readonly provider: string | null;
  readonly secrets: Secrets;
}

/** @throws CannotConnect when no suite runs here */
export async function findSuite(environment: Environment): Promise<LocalSuite> {
  const secrets = readSecrets(join(ROOT, '.secret.local'));
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

/**
 * Writes Firestore, the auth users and the simulator's state into one folder, fitting together while the suite is in
 * use: the simulator comes first and delivers nothing meanwhile, so the records know of nothing that it does not.
 */
async function backUp(suite: LocalSuite, folder: string): Promise<Manifest> {
  const write = async (provider: ProviderState | null): Promise<Manifest> => {
    const documents = readDocuments(suite.firestore);
    return writeBackup(folder, { documents, users: await readUsers(suite.auth), provider }, suite.addresses);
  };
  return suite.provider === null ? write(null) : whileHeld(suite.provider, write);
}

/**
 * Puts a backup in place of everything that a suite holds, also of a suite on other ports. The simulator comes last:
 * it goes on delivering, and bills what fell due since.
 *
 * @throws CannotConnect before anything is touched, where the backup is damaged or is of another provider
 */
export async function restore(suite: LocalSuite, folder: string): Promise<Manifest> {
  const { manifest, documents, users, provider } = openBackup(folder, ({ addresses }) =>
    movingAddresses(addresses, suite.addresses),
  );
  if ((provider === null) !== (suite.provider === null)) {
    throw new CannotConnect(
      provider === null
        ? 'This backup was made with Stripe’s test mode, and this suite runs with the simulator.'
        : 'This backup has the simulator’s state, and this suite runs with Stripe’s test mode.',
    );
  }
  if (suite.provider !== null) await quieten(suite.provider);
  await replaceDocuments(suite.firestore, documents);
  await replaceUsers(suite.auth, users);
  if (suite.provider !== null && provider !== null) {
    await restoreProvider(suite.provider, signedWith(provider, suite.secrets.PAYMENT_WEBHOOK_SECRET));
  }
  return manifest;
}
