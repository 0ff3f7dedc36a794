import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import { configuredExtensions, productsModule } from '../../packages/cli/src/local/extensions-file.ts';
import {
  type Environment,
  PORT_NAMES,
  readPorts,
  requireFreePorts,
} from '../../packages/cli/src/local/ports.ts';
import { announceSuite, isRunning } from '../../packages/cli/src/local/running-suites.ts';
import {
  functionParameters,
  PROJECT_ID,
  readSecrets,
  suiteVariables,
  usesSimulator,
} from '../../packages/cli/src/local/suite.ts';
import { connect } from '../../packages/cli/src/stripe/connect.ts';
import { registerWebhook } from '../../packages/cli/src/stripe/webhook.ts';
import { findFirestore } from '../set-up/find-firestore.mjs';
import { buildFunction } from './builds.ts';
import { serveCustomerRecords } from './customer-records.ts';
import { mailPage } from './mail-page.ts';
import {
  type PartPlan,
  planDirectServer,
  planEmulators,
  planFunction,
  planHidane,
  planSimulator,
  type Surroundings,
  writeFirebaseProject,
} from './parts.ts';
import { Processes, untilReady } from './processes.ts';
import { apiPage, extensionsFile, serveReturnPages } from './return-pages.ts';

export interface Suite {
  /** The suite's addresses, for the environment of a command. */
  readonly variables: Readonly<Record<string, string>>;
  readonly processes: Processes;
  /** This suite's own folder: its logs, and `project/`, which is removed at the end. */
  readonly folder: string;
  /** Settles with a message when a part ends by itself. */
  readonly broken: Promise<string>;
  end(): Promise<void>;
}

/** How the direct server serves the function, and where the provider sends its events. */
export interface Serving {
  readonly direct: (at: Surroundings) => PartPlan;
  readonly webhook: 'BILLING_BASE_URL' | 'BILLING_DIRECT_URL';
}
const AS_BUILT: Serving = { direct: planDirectServer, webhook: 'BILLING_BASE_URL' };

/**
 * Brings up the whole suite in parallel and returns when every part has answered.
 *
 * @param key a Stripe test key to use in place of the one in `.secret.local`
 * @throws Error when a port is taken, a build fails, or a part does not come up; nothing is left running then.
 */
export async function bringUp(
  root: string,
  environment: Environment,
  signal: AbortSignal,
  key?: string,
  serving: Serving = AS_BUILT,
): Promise<Suite> {
  const ports = readPorts(environment);
  const secrets = readSecrets(join(root, '.secret.local'), key);
  const simulated = usesSimulator(secrets);
  const firestore = findFirestore(environment);
  const ownFirestore = firestore.kind === 'official';
  await requireFreePorts(
    ports,
    PORT_NAMES.filter((name) => simulated || name !== 'simulator'),
  );

  sweep(join(root, '.suite'));
  const folder = join(root, '.suite', String(process.pid));
  const projectFolder = join(folder, 'project');
  mkdirSync(projectFolder, { recursive: true });
  const temporary = mkdtempSync(join(tmpdir(), 'billing-'));
  const variables = suiteVariables(ports, secrets);
  const parameters = functionParameters(ports, secrets, environment);
  const at: Surroundings = {
    root,
    folder: projectFolder,
    temporary,
    ports,
    secrets,
    environment,
    variables,
    parameters,
  };

  const processes = new Processes(folder, [projectFolder, temporary]);
  const broken: Promise<string>[] = [];
  const up = async (plan: PartPlan): Promise<void> => {
    const part = processes.start(plan.command);
    await untilReady(part, plan.look, plan.withinMs);
    broken.push(part.ended.then((how) => `${part.name} ${how}; its log is ${part.logFile}`));
  };
  const tryIt = apiPage({
    root,
    billing: variables.BILLING_BASE_URL ?? '',
    authEmulator: `http://${variables.FIREBASE_AUTH_EMULATOR_HOST}`,
  });
  const mails = mailPage(
    `http://${variables.FIREBASE_AUTH_EMULATOR_HOST}/emulator/v1/projects/${PROJECT_ID}/oobCodes`,
  );
  const extensions = extensionsFile(
    configuredExtensions(parameters.BILLING_EXTENSION_IDS ?? '', catalog),
    productsModule(catalog),
  );
  const pages = serveReturnPages(
    join(root, 'public'),
    ports.returnPages,
    (...exchange) => tryIt(...exchange) || mails(...exchange) || extensions(...exchange),
  );
  const documents = `v1/projects/${PROJECT_ID}/databases/(default)/documents`;
  const records = serveCustomerRecords(`http://${variables.FIRESTORE_EMULATOR_HOST}/${documents}`);
  const end = async (): Promise<void> => {
    await processes.end();
    await pages.then((server) => server.close()).catch(() => {});
    await records.then(({ server }) => server.close()).catch(() => {});
  };

  const built = buildFunction(root, environment);
  const starting = [
    pages,
    firestore.kind === 'hidane' ? up(planHidane(at, firestore.program)) : undefined,
    simulated ? records.then(({ url }) => up(planSimulator(at, url))) : undefined,
    up(planEmulators(at, writeFirebaseProject({ ...at, ownFirestore }), ownFirestore)),
    built.then(() => up(planFunction(at))),
    built.then(() => up(serving.direct(at))),
  ];
  try {
    await Promise.race([untilAborted(signal), Promise.all(starting)]);
    if (simulated && variables.PROVIDER_BASE_URL !== undefined) {
      const endpoint = `${variables[serving.webhook]}/billing/webhook`;
      const choice = { key: secrets.PAYMENT_SECRET_KEY, base: variables.PROVIDER_BASE_URL };
      await registerWebhook(await connect(choice), endpoint);
    }
    announceSuite(folder, { variables, parameters });
  } catch (error) {
    await end();
    await Promise.allSettled(starting);
    throw error;
  }
  return { variables, processes, folder, broken: Promise.race(broken), end };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Removes what suites that are no longer running left in `.suite/`: their logs, kept until the next start. */
function sweep(suites: string): void {
  if (!existsSync(suites)) return;
  for (const name of readdirSync(suites)) {
    if (/^\d+$/.test(name) && !isRunning(Number(name))) rmSync(join(suites, name), { recursive: true });
  }
}
