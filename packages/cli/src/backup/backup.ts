import { join } from 'node:path';
import { type Environment, readPorts } from '../local/ports.ts';
import { Refusal } from '../local/refusal.ts';
import { ROOT, readSecrets, type Secrets, suiteVariables, usesSimulator } from '../local/suite.ts';
import { startProgress } from '../support/progress.ts';
import { type Addresses, addressesOf, movingAddresses } from './addresses.ts';
import { readDocuments, removeDocuments, takeSnapshot, writeDocuments } from './documents.ts';
import { readUsers, replaceUsers } from './emulator.ts';
import { beginBackup, type Manifest, openBackup } from './folder.ts';
import { type ProviderState, quieten, restoreProvider, signedWith, whileHeld } from './provider-state.ts';

/**
 * Writes everything that the suite on this machine holds into a new folder.
 *
 * @throws Refusal when none runs
 */
export async function backUpInto(folder: string): Promise<void> {
  const manifest = await withProgress((suite, onDocuments) => backUp(suite, folder, onDocuments));
  console.log(`${describe(manifest)} are in ${folder}`);
}

/**
 * Puts what a folder holds in place of everything in the suite.
 *
 * @throws Refusal when none runs
 */
export async function restoreFrom(folder: string): Promise<void> {
  const manifest = await withProgress((suite, onDocuments) => restore(suite, folder, onDocuments));
  console.log(`${describe(manifest)} are back from ${folder}`);
}

type OnDocuments = (done: number, total: number) => void;

async function withProgress<Result>(
  work: (suite: LocalSuite, onDocuments: OnDocuments) => Promise<Result>,
): Promise<Result> {
  const suite = await findSuite(process.env);
  const progress = startProgress('documents');
  try {
    return await work(suite, progress.report);
  } finally {
    progress.end();
  }
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

/** @throws Refusal when no suite runs here */
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
      throw new Refusal(`No suite is running here: nothing answers at ${host}. Start one: npm start.`);
    });
  }
  const provider = usesSimulator(secrets) ? (at.PROVIDER_BASE_URL ?? null) : null;
  return { addresses: addressesOf(at), firestore, auth, provider, secrets };
}

/**
 * Writes Firestore, the auth users and the simulator's state into one folder, fitting together while the suite is in
 * use: the simulator comes first and delivers nothing until the users are read and the moment is fixed that the
 * documents are read as of, so the records know of nothing that it does not.
 */
export async function backUp(
  suite: LocalSuite,
  folder: string,
  onDocuments: OnDocuments = () => {},
): Promise<Manifest> {
  const backup = beginBackup(folder);
  const begin = async (provider: ProviderState | null) => {
    if (provider !== null) backup.writeProvider(provider);
    const snapshot = await takeSnapshot(suite.firestore);
    const users = await backup.writeUsers(readUsers(suite.auth));
    return { snapshot, users, madeAt: new Date().toISOString() };
  };
  const { snapshot, users, madeAt } =
    suite.provider === null ? await begin(null) : await whileHeld(suite.provider, begin);
  const counted = counting(readDocuments(suite.firestore, snapshot), (done) =>
    onDocuments(done, snapshot.documents),
  );
  const documents = await backup.writeDocuments(counted);
  return backup.finish({ madeAt, documents, users, addresses: suite.addresses });
}

async function* counting<Item>(
  items: AsyncIterable<Item>,
  tell: (done: number) => void,
): AsyncGenerator<Item> {
  let done = 0;
  for await (const item of items) {
    yield item;
    done += 1;
    tell(done);
  }
}

/**
 * Puts a backup in place of everything that a suite holds, also of a suite on other ports. The simulator comes last:
 * it goes on delivering, and bills what fell due since. A run that was interrupted leaves a part; run it again.
 *
 * @throws Refusal before anything is touched, if the backup is damaged or is of another provider
 */
export async function restore(
  suite: LocalSuite,
  folder: string,
  onDocuments: OnDocuments = () => {},
): Promise<Manifest> {
  const opened = await openBackup(folder, ({ addresses }) => movingAddresses(addresses, suite.addresses));
  const { manifest, provider } = opened;
  if ((provider === null) !== (suite.provider === null)) {
    throw new Refusal(
      provider === null
        ? 'This backup was made with Stripe’s test mode, and this suite runs with the simulator.'
        : 'This backup has the simulator’s state, and this suite runs with Stripe’s test mode.',
    );
  }
  if (suite.provider !== null) await quieten(suite.provider);
  await removeDocuments(suite.firestore);
  let written = 0;
  for await (const more of writeDocuments(suite.firestore, opened.documents())) {
    written += more;
    onDocuments(written, manifest.documents);
  }
  await replaceUsers(suite.auth, opened.users());
  if (suite.provider !== null && provider !== null) {
    await restoreProvider(suite.provider, signedWith(provider, suite.secrets.PAYMENT_WEBHOOK_SECRET));
  }
  return manifest;
}
