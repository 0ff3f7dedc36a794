import { join } from 'node:path';
import type { Catalog } from '@extension-billing/contract/catalog';
import { readPublished } from '@extension-billing/contract/published-catalog';
import type { Auth } from 'firebase-admin/auth';
import { ConfigError, readProviderRate, readSales } from '../../../../functions/src/config.ts';
import { paceOf } from '../../../../functions/src/reconcile/pace.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import { paths } from '../../../../functions/src/store/documents.ts';
import { connectStripe } from '../../../../functions/src/stripe/client.ts';
import { catalog } from '../local/catalog.ts';
import { readParameters } from '../local/parameters.ts';
import { type Environment, readPorts } from '../local/ports.ts';
import { Refusal } from '../local/refusal.ts';
import { PROJECT_ID, ROOT, readSecrets, suiteVariables, usesSimulator } from '../local/suite.ts';

/** What a support command works with: it also finds users by mail and makes sign-ins, which the function never does. */
export type SupportDeps = CheckDeps & { readonly auth: Pick<Auth, 'getUserByEmail' | 'createUser'> };

/**
 * What a command works on, for what it keeps of itself: the project, the provider's mode where it asks the provider and, on
 * this machine, where the store listens, since every suite here has the same project.
 */
export type StoreName = string;

/** Where a support command looks, and with what. */
export interface Connection {
  /** For a person: which project and which provider. */
  readonly name: string;
  readonly store: StoreName;
  readonly deps: SupportDeps;
}

/**
 * Connects to the suite that runs on this machine or, where a project is named, to that Firebase project with
 * application default credentials and the provider's key in PAYMENT_SECRET_KEY.
 *
 * @throws Refusal when neither is there.
 */
export async function connect(project: string | undefined, environment: Environment): Promise<Connection> {
  return project === undefined ? connectSuite(environment) : connectProject(project, environment);
}

/** What a command works with that asks the provider nothing. */
interface Books extends Pick<Connection, 'name' | 'store'> {
  readonly firestore: CheckDeps['firestore'];
  readonly catalog: Catalog;
}

/** As `connect`, for a command that asks the provider nothing: a real project needs no key of it then. */
export async function connectBooks(project: string | undefined, environment: Environment): Promise<Books> {
  if (project === undefined) {
    const { name, store, deps } = await connectSuite(environment);
    return { name, store, firestore: deps.firestore, catalog: deps.catalog() };
  }
  leaveEmulators();
  await requireCredentials(project);
  const deps = await makeDeps(project, '', null);
  return { name: project, store: project, firestore: deps.firestore, catalog: deps.catalog() };
}

async function connectSuite(environment: Environment): Promise<Connection> {
  const secrets = readSecrets(join(ROOT, '.secret.local'));
  const variables = { ...suiteVariables(readPorts(environment), secrets), ...given(environment) };
  const { FIRESTORE_EMULATOR_HOST: firestore, PROVIDER_BASE_URL: provider } = variables;
  await fetch(`http://${firestore}/`).catch(() => {
    throw new Refusal(
      `No suite is running here: nothing answers at ${firestore}. Start one with "npm start", or name a project of yours: --project <id>.`,
    );
  });
  Object.assign(process.env, variables, { METADATA_SERVER_DETECTION: 'none' });
  const isSimulated = usesSimulator(secrets) && provider !== undefined;
  const name = `the local suite (${PROJECT_ID}), ${isSimulated ? 'with the simulator' : "with the provider's test mode"}`;
  return {
    name,
    store: `${name} at ${firestore}`,
    deps: await makeDeps(PROJECT_ID, secrets.PAYMENT_SECRET_KEY, isSimulated ? provider : null),
  };
}

/** Addresses that `npm run suite` or a person has set win over the defaults. */
function given(environment: Environment): Record<string, string> {
  const names = ['FIRESTORE_EMULATOR_HOST', 'FIREBASE_AUTH_EMULATOR_HOST', 'PROVIDER_BASE_URL'];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] ? [[name, environment[name] ?? '']] : [])),
  );
}

async function connectProject(project: string, environment: Environment): Promise<Connection> {
  const key = environment.PAYMENT_SECRET_KEY ?? '';
  if (!/^(sk|rk)_(test|live)_/.test(key)) {
    throw new Refusal(
      [
        `This needs the provider's key of ${project} in PAYMENT_SECRET_KEY. So that it stays out of the shell's history:`,
        '  read -rs PAYMENT_SECRET_KEY && export PAYMENT_SECRET_KEY',
        'Paste the key, press Enter, and run this again.',
      ].join('\n'),
    );
  }
  leaveEmulators();
  await requireCredentials(project);
  const mode = key.includes('_live_') ? 'LIVE mode' : 'test mode';
  const name = `${project}, with the provider's ${mode}`;
  return { name, store: name, deps: await makeDeps(project, key, null) };
}

/** A named project is never an emulator, whatever the shell was used for before. */
function leaveEmulators(): void {
  delete process.env.FIRESTORE_EMULATOR_HOST;
  delete process.env.FIREBASE_AUTH_EMULATOR_HOST;
}

/** Firestore's client, left to find out by itself, ends the process with a trace. */
async function requireCredentials(project: string): Promise<void> {
  const { applicationDefault } = await import('firebase-admin/app');
  await applicationDefault()
    .getAccessToken()
    .catch(() => {
      throw new Refusal(
        `There are no valid Google credentials here to read ${project} with: gcloud auth application-default login`,
      );
    });
}

async function makeDeps(
  projectId: string,
  providerSecretKey: string,
  base: string | null,
): Promise<SupportDeps> {
  const [{ initializeApp }, { getAuth }, { getFirestore }] = await Promise.all([
    import('firebase-admin/app'),
    import('firebase-admin/auth'),
    import('firebase-admin/firestore'),
  ]);
  const app = initializeApp({ projectId });
  const firestore = getFirestore(app);
  // As the function does it: what is published, else the file.
  const [published, account] = await firestore.getAll(
    paths.catalog(firestore, 'current'),
    paths.account(firestore),
  );
  const inForce = readPublished(published?.data())?.catalog ?? catalog;
  const providerCallsPerSecond = rateOf(ROOT, projectId, process.env);
  const sales = settingsOf(ROOT, projectId, process.env, (env) => readSales(env, providerSecretKey));
  // The simulator has no limit.
  const pace = base === null ? paceOf(providerCallsPerSecond) : null;
  const stripe = connectStripe({ providerSecretKey, providerApiBase: base }, { pace });
  const warn = (event: string, fields: object = {}) => console.error(`${event} ${JSON.stringify(fields)}`);
  const log: CheckDeps['log'] = { info: () => {}, warn, error: warn, of: () => log };
  return {
    firestore,
    auth: getAuth(app),
    stripe: () => stripe,
    now: () => Date.now(),
    catalog: () => inForce,
    log,
    sharesAccount: () => account?.get('isShared') === true,
    config: { project: projectId, providerCallsPerSecond, ...sales },
  };
}

/**
 * Calls a second to the provider, by the function's own settings: what its owner set for a deployment holds for a command
 * too.
 *
 * @throws Refusal
 */
export function rateOf(root: string, project: string, environment: Environment): number {
  return settingsOf(root, project, environment, readProviderRate);
}

function settingsOf<Settings>(
  root: string,
  project: string,
  environment: Environment,
  read: (env: Environment) => Settings,
): Settings {
  try {
    return read({ ...readParameters(root, project), ...environment });
  } catch (error) {
    throw error instanceof ConfigError ? new Refusal(error.problems.join('\n')) : error;
  }
}
