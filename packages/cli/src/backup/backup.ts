import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { type Environment, readPorts } from '../local/ports.ts';
import { Refusal } from '../local/refusal.ts';
import { ROOT, readSecrets, type Secrets, suiteVariables, usesSimulator } from '../local/suite.ts';
import { startProgress } from '../support/progress.ts';
import { howToGoOn, openResume, STOPPED, untilStopped } from '../support/resume.ts';
import { type Addresses, addressesOf, movingAddresses } from './addresses.ts';
import {
  Place,
  readDocuments,
  removeDocuments,
  Snapshot,
  type StoredDocument,
  takeSnapshot,
  writeDocuments,
} from './documents.ts';
import { EmulatorRefused, readUsers, replaceUsers } from './emulator.ts';
import { type Manifest, openBackup, prepareBackup } from './folder.ts';
import { type ProviderState, quieten, restoreProvider, signedWith, whileHeld } from './provider-state.ts';

interface Asked {
  readonly folder: string;
  /** Go on with the run that was stopped. */
  readonly resume: boolean;
}

/**
 * Writes everything that the suite on this machine holds into a new folder.
 *
 * @returns 0, or STOPPED after Ctrl-C
 * @throws Refusal when none runs
 */
export async function backUpInto({ folder, resume }: Asked): Promise<number> {
  const manifest = await withProgress((options) => backUp(options, folder, resume));
  if (manifest === null) return stopped(`backup ${folder}`);
  console.log(`${describe(manifest)} are in ${folder}`);
  return 0;
}

/**
 * Puts what a folder holds in place of everything in the suite.
 *
 * @returns 0, or STOPPED after Ctrl-C
 * @throws Refusal when none runs
 */
export async function restoreFrom({ folder, resume }: Asked): Promise<number> {
  const manifest = await withProgress((options) => restore(options, folder, resume));
  if (manifest === null) return stopped(`restore ${folder}`);
  console.log(`${describe(manifest)} are back from ${folder}`);
  return 0;
}

/** A suite, and what is told and asked of who works on it. */
interface Work {
  readonly suite: LocalSuite;
  readonly stop?: AbortSignal;
  readonly onDocuments?: (done: number, total: number) => void;
}

async function withProgress<Result>(work: (options: Work) => Promise<Result>): Promise<Result> {
  const suite = await findSuite(process.env);
  const progress = startProgress('documents');
  try {
    return await untilStopped((stop) => work({ suite, stop, onDocuments: progress.report }));
  } finally {
    progress.end();
  }
}

function stopped(line: string): number {
  console.error(howToGoOn(line));
  return STOPPED;
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

const BackupState = v.object({
  snapshot: Snapshot,
  madeAt: v.string(),
  users: v.number(),
  place: v.nullable(Place),
  /** Of the documents' file, which count. */
  bytes: v.number(),
});
type BackupState = v.InferOutput<typeof BackupState>;

/**
 * Writes Firestore, the auth users and the simulator's state into one folder, fitting together while the suite is in
 * use: the simulator comes first and delivers nothing until the users are read and the moment is fixed that the
 * documents are read as of, so the records know of nothing that it does not.
 *
 * @returns null where it was stopped
 */
export async function backUp(
  { suite, stop, onDocuments = () => {} }: Work,
  folder: string,
  mayGoOn: boolean,
): Promise<Manifest | null> {
  const backup = prepareBackup(folder);
  const { progress: file } = backup;
  const args = { firestore: suite.firestore };
  const resume = openResume<BackupState>({ command: 'backup', args, schema: BackupState, file }, mayGoOn);
  const begin = async (provider: ProviderState | null): Promise<BackupState> => {
    backup.begin();
    if (provider !== null) backup.writeProvider(provider);
    const snapshot = await takeSnapshot(suite.firestore);
    const users = await backup.writeUsers(readUsers(suite.auth));
    return { snapshot, madeAt: new Date().toISOString(), users, place: null, bytes: 0 };
  };
  const fresh = () => (suite.provider === null ? begin(null) : whileHeld(suite.provider, begin));
  let state = resume.state ?? (await fresh());
  resume.save(state);
  const documents = await backup.openDocuments(state.bytes);
  const write = (document: StoredDocument) => documents.add(`${JSON.stringify(document)}\n`);
  try {
    for await (const place of readDocuments(suite.firestore, state.snapshot, state.place, write)) {
      state = { ...state, place, bytes: await documents.flush() };
      resume.save(state);
      onDocuments(place.documents, state.snapshot.documents);
      if (stop?.aborted === true) return null;
    }
  } catch (error) {
    if (resume.state === null || !(error instanceof EmulatorRefused)) throw error;
    throw new Refusal(`The moment of the run before is gone (${error.message}): leave --resume away.`);
  } finally {
    await documents.close();
  }
  const { madeAt, users, snapshot } = state;
  return backup.finish({ madeAt, documents: snapshot.documents, users, addresses: suite.addresses });
}

/** Documents that are back. */
const RestoreState = v.object({ documents: v.number() });

/**
 * Puts a backup in place of everything that a suite holds, also of a suite on other ports. The simulator comes last:
 * it goes on delivering, and bills what fell due since.
 *
 * @returns null where it was stopped: the suite has a part then, until it is gone on with
 * @throws Refusal before anything is touched, where the backup is damaged or is of another provider
 */
export async function restore(
  { suite, stop, onDocuments = () => {} }: Work,
  folder: string,
  mayGoOn = false,
): Promise<Manifest | null> {
  const opened = await openBackup(folder, ({ addresses }) => movingAddresses(addresses, suite.addresses));
  const { manifest, provider } = opened;
  if ((provider === null) !== (suite.provider === null)) {
    throw new Refusal(
      provider === null
        ? 'This backup was made with Stripe’s test mode, and this suite runs with the simulator.'
        : 'This backup has the simulator’s state, and this suite runs with Stripe’s test mode.',
    );
  }
  const args = { folder: resolve(folder), madeAt: manifest.madeAt, firestore: suite.firestore };
  const resume = openResume({ command: 'restore', args, schema: RestoreState }, mayGoOn);
  let written = resume.state?.documents ?? 0;
  if (resume.state === null) {
    if (suite.provider !== null) await quieten(suite.provider);
    await removeDocuments(suite.firestore);
  }
  for await (const more of writeDocuments(suite.firestore, opened.documents(written))) {
    written += more;
    resume.save({ documents: written });
    onDocuments(written, manifest.documents);
    if (stop?.aborted === true) return null;
  }
  await replaceUsers(suite.auth, opened.users());
  if (suite.provider !== null && provider !== null) {
    await restoreProvider(suite.provider, signedWith(provider, suite.secrets.PAYMENT_WEBHOOK_SECRET));
  }
  resume.done();
  return manifest;
}
