import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Stripe } from 'stripe';
import { addressOf } from '../../../../functions/src/config.ts';
import { paths } from '../../../../functions/src/store/documents.ts';
import { catalog } from '../local/catalog.ts';
import { readParameters } from '../local/parameters.ts';
import { type Environment, HOST, readPorts, withFreePorts } from '../local/ports.ts';
import { Refusal } from '../local/refusal.ts';
import { type RunningSuite, runningSuites } from '../local/running-suites.ts';
import { functionParameters, ROOT, readAddresses, readSecrets, suiteVariables } from '../local/suite.ts';
import { chooseProvider, connect } from '../stripe/connect.ts';
import { connect as connectProject } from '../support/connect.ts';
import { checkAnswer, checkCatalog, checkChangePages, checkEndpoint, checkPortal } from './check-account.ts';
import { checkExtension } from './check-extension.ts';
import { checkParameters } from './check-parameters.ts';
import { checkSettings, type Finding, fine, lineOf, problem } from './check-settings.ts';
import { checkClaims, checkPublished, checkPublishedHere, checkRules } from './check-suite.ts';
import { wrongAddresses } from './compare-addresses.ts';

export interface DoctorOptions {
  /** A Firebase project; without it the suite on this machine. */
  readonly project?: string | undefined;
  /** The deployed service's webhook address, where that is asked about too. */
  readonly endpoint?: string | undefined;
  /** The folder of an extension or of its build; the repository's own without it, where that is built. */
  readonly extension?: string | undefined;
}

/**
 * Says what is set up and what is not, one line each: of a project, or of the suite that runs on this machine. If none
 * runs, this command runs again inside one of its own.
 *
 * @returns the exit status: 0 when nothing is wrong
 */
export async function doctor(asked: DoctorOptions): Promise<number> {
  try {
    if (asked.project !== undefined) return print(await examineProject(asked.project, asked));
    const suite = await findSuite(process.env);
    return suite === null ? await runInSuite(asked) : print(await examineSuite(suite, asked));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

function print(findings: readonly Finding[]): number {
  for (const finding of findings) console.log(lineOf(finding));
  const problems = findings.filter(({ ok }) => !ok).length;
  console.log(problems === 0 ? '\nEverything is in order.' : `\n${problems} of ${findings.length} need you.`);
  return problems === 0 ? 0 : 1;
}

/**
 * The suite that these commands run in; else the one at the environment's ports; else the only one of this checkout.
 *
 * @throws Refusal if there are several to choose from
 */
async function findSuite(env: Environment): Promise<RunningSuite | null> {
  const ports = readPorts(env);
  const secrets = readSecrets(join(ROOT, '.secret.local'));
  const running = runningSuites(ROOT);
  const firestore = env.FIRESTORE_EMULATOR_HOST ?? `${HOST}:${ports.firestore}`;
  const known = running.find(({ variables }) => variables.FIRESTORE_EMULATOR_HOST === firestore);
  if (known !== undefined) return known;
  if (env.FIRESTORE_EMULATOR_HOST !== undefined || (await answers(`http://${firestore}/`))) {
    const parameters = functionParameters(ports, secrets, env);
    const given = Object.entries(suiteVariables(ports, secrets)).map(([name, value]) => [
      name,
      env[name] ?? value,
    ]);
    return { variables: Object.fromEntries(given), parameters };
  }
  const [only, ...others] = running;
  if (only === undefined) return null;
  if (others.length === 0) {
    console.log(`The suite at ${only.variables.BILLING_BASE_URL}:\n`);
    return only;
  }
  const list = running.map(({ variables }) => `  ${variables.BILLING_BASE_URL}`);
  throw new Refusal(['Several suites run. Set BILLING_PORT_OFFSET to that of one:', ...list].join('\n'));
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** The extension that `npm run build` makes, where it was made. It never has the catalogue of BILLING_CATALOG. */
function builtHere({ BILLING_CATALOG: other }: Environment): string | null {
  const dist = join(ROOT, 'extension', 'dist');
  return !other && existsSync(join(dist, 'manifest.json')) ? dist : null;
}

async function runInSuite({ endpoint, extension }: DoctorOptions): Promise<number> {
  const again = [process.execPath, join(ROOT, 'packages', 'cli', 'src', 'billing.ts'), 'doctor'];
  const asked = [
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
    ...(extension === undefined ? [] : ['--extension', resolve(extension)]),
  ];
  console.error('No suite runs here. Starting one for this (npm start keeps one up) …');
  const setUp = [join(ROOT, 'tools', 'set-up.mjs'), 'firestore', '--', process.execPath];
  const args = [...setUp, join(ROOT, 'tools', 'suite.ts'), ...again, ...asked];
  const suite = spawn(process.execPath, args, { env: await withFreePorts(process.env), stdio: 'inherit' });
  // The suite ends its parts first; until then this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => suite.kill(signal));
  return new Promise((resolve, reject) => {
    suite.once('error', reject);
    suite.once('exit', (status) => resolve(status ?? 1));
  });
}

async function examineSuite(
  { variables, parameters }: RunningSuite,
  { endpoint, extension }: DoctorOptions,
): Promise<readonly Finding[]> {
  const secrets = readSecrets(join(ROOT, '.secret.local'));
  const choice = chooseProvider({ ...process.env, ...variables }, secrets.PAYMENT_SECRET_KEY);
  const isSimulator = choice.base !== null;
  const url = endpoint ?? (isSimulator ? `${variables.BILLING_BASE_URL}/billing/webhook` : undefined);
  const emulators = readAddresses(variables);
  const folder = extension ?? builtHere(process.env);
  return [
    ...checkSettings({ ...parameters, ...secrets, FUNCTIONS_EMULATOR: 'true' }, catalog),
    ...(await examineAccount(await connect(choice), url, isSimulator)),
    await checkPublishedHere(emulators, catalog),
    await checkExtension(folder, catalog),
    ...(extension === undefined ? [] : checkAddresses(extension, variables)),
    ...(await checkRules(emulators)),
    await checkClaims(emulators),
  ];
}

async function examineProject(
  project: string,
  { endpoint, extension }: DoctorOptions,
): Promise<readonly Finding[]> {
  const parameters = readParameters(ROOT, project);
  const url = addressOf(project, parameters.BILLING_REGION?.trim() || undefined);
  const { name, deps } = await connectProject(project, process.env);
  console.log(`${name}:\n`);
  const published = await paths.catalog(deps.firestore, 'current').get();
  return [
    ...checkParameters(parameters, project, catalog),
    ...(await examineAccount(await deps.stripe(), endpoint ?? `${url}/billing/webhook`, false)),
    checkPublished(
      published.exists ? { version: published.get('version'), catalog: published.get('catalog') } : null,
      catalog,
    ),
    await checkFunction(url),
    await checkExtension(extension ?? builtHere(process.env), catalog),
  ];
}

/** Checks nothing else if the provider doesn't answer. */
async function examineAccount(
  stripe: Stripe,
  endpoint: string | undefined,
  isSimulator: boolean,
): Promise<readonly Finding[]> {
  const answer = await checkAnswer(stripe);
  if (!answer.ok) return [answer];
  return [
    answer,
    ...(await checkCatalog(stripe, catalog)),
    await checkPortal(stripe, !isSimulator),
    // The simulator's account is made anew with each suite: the service makes its pages at the first change.
    ...(isSimulator ? [] : [await checkChangePages(stripe, catalog)]),
    endpoint === undefined
      ? fine('endpoint: none asked about (--endpoint https://…); locally stripe listen brings the events')
      : await checkEndpoint(stripe, endpoint),
  ];
}

/** A deployed function answers a request without a token with 401, by itself. */
async function checkFunction(url: string): Promise<Finding> {
  const status = await fetch(`${url}/credits/balance`).then(
    (response) => response.status,
    () => null,
  );
  if (status === 401) return fine(`function: ${url} answers`);
  const how = status === null ? 'does not answer' : `answers ${status} to a request without a token, not 401`;
  return problem(`function: ${url} ${how}`, 'npx billing deploy brings it there.');
}

function checkAddresses(folder: string, variables: Environment): readonly Finding[] {
  const wrong = wrongAddresses(folder, variables);
  if (wrong.length === 0) return [fine('addresses: the extension names no other local suite than this one')];
  return wrong.map(({ file, found, expected }) =>
    problem(
      `addresses: ${file} leads to ${found}`,
      `This suite is at ${expected}. Start it without BILLING_PORT_OFFSET, or change the extension's address and build it again.`,
    ),
  );
}
