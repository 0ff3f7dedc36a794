import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, HOST, type Ports } from '../../packages/cli/src/local/ports.ts';
import { PROJECT_ID, type Secrets } from '../../packages/cli/src/local/suite.ts';
import { functionFolder } from './builds.ts';
import { ask, type Look, type PartCommand } from './processes.ts';

/** A process of the suite and how to see that it is ready. */
export interface PartPlan {
  readonly command: PartCommand;
  readonly look: () => Promise<Look>;
  readonly withinMs: number;
}

export interface Surroundings {
  readonly root: string;
  readonly folder: string;
  /** For what the emulators put into the system's temporary folder; short, since sockets are in it. */
  readonly temporary: string;
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly environment: Environment;
  /** The addresses of the suite, as the commands that it runs get them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string>>;
}

const READY: Look = { is: 'ready' };
const WITHIN_MS = 120_000;

export function planHidane({ root, ports, environment }: Surroundings, program: string): PartPlan {
  return {
    command: {
      name: 'firestore',
      command: program,
      args: [
        ...['--host', HOST, '--port', String(ports.firestore)],
        ...['--project_id', PROJECT_ID, '--rules', join(root, 'firestore.rules')],
      ],
      cwd: root,
      env: environment,
    },
    look: () => ask(`http://${HOST}:${ports.firestore}/`, () => READY),
    withinMs: 20_000,
  };
}

export function planEmulators(at: Surroundings, configFile: string, ownFirestore: boolean): PartPlan {
  return {
    command: {
      name: 'emulators',
      command: process.execPath,
      args: [
        ...['--require', fileURLToPath(new URL('./skip-schema-check.cjs', import.meta.url))],
        join(at.root, 'node_modules', 'firebase-tools', 'lib', 'bin', 'firebase.js'),
        'emulators:start',
        ...['--only', ownFirestore ? 'auth,firestore' : 'auth'],
        ...['--project', PROJECT_ID, '--config', configFile],
      ],
      cwd: at.folder,
      env: {
        ...offline(at),
        NODE_COMPILE_CACHE: join(at.root, 'node_modules', '.cache', 'compile'),
      },
    },
    look: () => ask(`http://${at.variables.FIREBASE_AUTH_EMULATOR_HOST}/`, () => READY),
    withinMs: WITHIN_MS,
  };
}

/** Serves the bundle at BILLING_DIRECT_URL, without the function's path. */
export function planDirectServer(at: Surroundings): PartPlan {
  return planServer(at, 'direct', at.ports.direct, 'BILLING_DIRECT_URL');
}

/** Serves the bundle in another process at BILLING_BASE_URL, under the path that the functions emulator gives it. */
export function planFunction(at: Surroundings): PartPlan {
  return planServer(at, 'functions', at.ports.functions, 'BILLING_BASE_URL');
}

function planServer(
  at: Surroundings,
  name: string,
  port: number,
  variable: 'BILLING_BASE_URL' | 'BILLING_DIRECT_URL',
): PartPlan {
  const url = at.variables[variable] ?? '';
  return {
    command: {
      name,
      command: process.execPath,
      args: [
        fileURLToPath(new URL('./direct-server.mjs', import.meta.url)),
        join(functionFolder(at.root, at.environment), 'index.cjs'),
        String(port),
        new URL(url).pathname,
      ],
      cwd: join(at.root, 'functions'),
      env: {
        ...offline(at),
        ...at.parameters,
        ...at.secrets,
        GCLOUD_PROJECT: PROJECT_ID,
        GOOGLE_CLOUD_PROJECT: PROJECT_ID,
        FIREBASE_CONFIG: JSON.stringify({ projectId: PROJECT_ID }),
        FIRESTORE_EMULATOR_HOST: at.variables.FIRESTORE_EMULATOR_HOST,
        FIREBASE_AUTH_EMULATOR_HOST: at.variables.FIREBASE_AUTH_EMULATOR_HOST,
        FUNCTIONS_EMULATOR: 'true',
        FUNCTION_TARGET: 'api',
        FUNCTION_SIGNATURE_TYPE: 'http',
        K_SERVICE: 'api',
        METADATA_SERVER_DETECTION: at.variables.METADATA_SERVER_DETECTION,
        TZ: 'UTC',
      },
    },
    look: () => lookAtFunction(`${url}/credits/balance`),
    withinMs: WITHIN_MS,
  };
}

/** @param recordsUrl where the simulator's page finds the service's records */
export function planSimulator(
  { root, ports, secrets, environment }: Surroundings,
  recordsUrl: string,
): PartPlan {
  const { PROVIDER_TRAFFIC: traffic } = environment;
  return {
    command: {
      name: 'simulator',
      command: process.execPath,
      args: [
        join(root, 'packages', 'simulator', 'src', 'main.ts'),
        ...['--catalog', join(root, 'packages', 'cli', 'src', 'local', 'simulator-catalog.ts')],
        ...['--port', String(ports.simulator), '--webhook-secret', secrets.PAYMENT_WEBHOOK_SECRET],
        ...['--records-url', recordsUrl],
        ...(traffic ? ['--traffic', join(traffic, `suite-${process.pid}.jsonl`)] : []),
      ],
      cwd: root,
      env: { BILLING_SIMULATOR_MERCHANT: 'Extension Billing', ...environment },
    },
    look: () =>
      ask(`http://${HOST}:${ports.simulator}/_sim/state`, (status) =>
        status === 200 ? READY : { is: 'broken', why: `answers ${status} to /_sim/state` },
      ),
    withinMs: 30_000,
  };
}

/**
 * The function answers every request, be it with a refusal, as soon as it is loaded and configured.
 */
function lookAtFunction(url: string): Promise<Look> {
  return ask(url, (status, body) => {
    const why = `answers ${status} to GET ${new URL(url).pathname}: ${body.slice(0, 500)}`;
    return status < 500 ? READY : { is: 'broken', why };
  });
}

/** No update checks, no telemetry, none of the user's own credentials or settings. */
function offline({ environment, folder, temporary }: Surroundings): Environment {
  return {
    ...environment,
    CI: '1',
    NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    XDG_CONFIG_HOME: join(folder, 'config'),
    // firebase-tools keeps the address of a project's hub there: two suites of one project would share it.
    TMPDIR: temporary,
    GOOGLE_APPLICATION_CREDENTIALS: undefined,
    FIREBASE_TOKEN: undefined,
  };
}

interface FirebaseProject {
  /** Root of the checkout, which has the rules. */
  readonly root: string;
  /** Where to write; only this suite uses it. */
  readonly folder: string;
  readonly ports: Ports;
  /** Whether firebase-tools starts its own Firestore emulator, as it does where hidane is not used. */
  readonly ownFirestore: boolean;
}

/**
 * Writes a Firebase project of this suite's own: the checkout's rules, on this suite's ports. So two suites on
 * different ports can run in one checkout.
 *
 * @returns the path of its firebase.json.
 */
export function writeFirebaseProject(project: FirebaseProject): string {
  const { root, folder, ports } = project;
  cpSync(join(root, 'firestore.rules'), join(folder, 'firestore.rules'));

  const on = (port: number): object => ({ host: HOST, port });
  const config = {
    firestore: { rules: 'firestore.rules' },
    emulators: {
      singleProjectMode: true,
      auth: on(ports.auth),
      ...(project.ownFirestore ? { firestore: on(ports.firestore) } : {}),
      hub: on(ports.hub),
      logging: on(ports.logging),
      ui: { enabled: false },
    },
  };
  const file = join(folder, 'firebase.json');
  writeFileSync(file, JSON.stringify(config, null, 2));
  return file;
}
