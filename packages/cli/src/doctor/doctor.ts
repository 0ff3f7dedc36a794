import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Catalog, Offer } from '@extension-billing/contract/catalog';
import { Stripe } from 'stripe';
import { readPaidClaim, signUp, writePaidClaim } from '../local/account.ts';
import { catalog } from '../local/catalog.ts';
import { type Environment, readPorts, withFreePorts } from '../local/ports.ts';
import {
  functionParameters,
  ROOT,
  readAddresses,
  readSecrets,
  type Secrets,
  type SuiteAddresses,
  suiteVariables,
} from '../local/suite.ts';
import {
  currencyRepair,
  differences,
  findPrice,
  howToReprice,
  metadataRepair,
  mismatch,
  THEIRS,
} from '../stripe/catalog.ts';
import { chooseProvider, connect } from '../stripe/connect.ts';
import { differsFrom, findConfiguration, missingChangePages, SAVE_ONCE } from '../stripe/portal.ts';
import { findEndpoint, missingEvents } from '../stripe/webhook.ts';
import { checkExtension } from './check-extension.ts';
import { checkSettings, type Finding, fine, lineOf, noted, problem } from './check-settings.ts';

/**
 * Says what is set up and what is not, one line each. Inside a running suite (npm run suite -- …) that one is examined;
 * otherwise this command runs again inside one of its own.
 *
 * @returns the exit status: 0 when nothing is wrong
 */
export async function doctor(asked: DoctorOptions): Promise<number> {
  try {
    const isInside = process.env.FIRESTORE_EMULATOR_HOST !== undefined;
    return isInside ? await examineSuite(asked) : await runInSuite(asked);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

export interface DoctorOptions {
  /** The deployed service's webhook address, where that is asked about too. */
  readonly endpoint?: string;
  /** The folder of a built extension; the repository's own without it, where that is built. */
  readonly extension?: string;
}

async function examineSuite({ endpoint, extension }: DoctorOptions): Promise<number> {
  const { env } = process;
  const secrets = readSecrets(join(ROOT, '.secret.local'));
  const ports = readPorts(env);
  const variables = { ...suiteVariables(ports, secrets), ...env };
  const parameters = { ...functionParameters(ports, secrets, env), FUNCTIONS_EMULATOR: 'true' };
  const folder = extension ?? builtHere(env);
  const findings = await examine({ secrets, parameters, variables, endpoint, extension: folder });
  for (const finding of findings) console.log(lineOf(finding));
  const problems = findings.filter(({ ok }) => !ok).length;
  console.log(problems === 0 ? '\nEverything is in order.' : `\n${problems} of ${findings.length} need you.`);
  return problems === 0 ? 0 : 1;
}

/** The extension that `npm run build` makes, where it was made. It never has the catalogue of BILLING_CATALOG. */
function builtHere({ BILLING_CATALOG: other }: Environment): string | null {
  const dist = join(ROOT, 'extension', 'dist');
  return !other && existsSync(join(dist, 'manifest.json')) ? dist : null;
}

async function runInSuite({ endpoint, extension }: DoctorOptions): Promise<number> {
  const again = [join(ROOT, 'packages', 'cli', 'src', 'billing.ts'), 'doctor'];
  const asked = [
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
    ...(extension === undefined ? [] : ['--extension', resolve(extension)]),
  ];
  const args = [join(ROOT, 'tools', 'suite.ts'), process.execPath, ...again, ...asked];
  const suite = spawn(process.execPath, args, { env: await withFreePorts(process.env), stdio: 'inherit' });
  // The suite ends its parts first; until then this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => suite.kill(signal));
  return new Promise((resolve, reject) => {
    suite.once('error', reject);
    suite.once('exit', (status) => resolve(status ?? 1));
  });
}

interface DoctorContext {
  readonly secrets: Secrets;
  /** The function's parameters. */
  readonly parameters: Environment;
  /** The running suite's addresses. */
  readonly variables: Environment;
  /** The address that events are delivered to; the suite's own, with the simulator, when undefined. */
  readonly endpoint: string | undefined;
  /** The folder of a built extension; null where there is none. */
  readonly extension: string | null;
}

/** Every check there is. What hangs on the provider is left out while the provider does not answer. */
async function examine(context: DoctorContext): Promise<readonly Finding[]> {
  const { secrets, parameters, variables } = context;
  const settings = checkSettings({ ...parameters, ...secrets }, catalog);
  const choice = chooseProvider(variables, secrets.PAYMENT_SECRET_KEY);
  const stripe = await connect(choice);
  const answer = await checkAnswer(stripe);
  const own = choice.base === null ? undefined : `${variables.BILLING_BASE_URL}/billing/webhook`;
  const endpoint = context.endpoint ?? own;
  const account = !answer.ok
    ? []
    : [
        ...(await checkCatalog(stripe, catalog)),
        await checkPortal(stripe, choice.base === null),
        // The simulator's account is made anew with each suite: the service makes its pages at the first change.
        ...(choice.base === null ? [await checkChangePages(stripe, catalog)] : []),
        endpoint === undefined
          ? fine(
              'endpoint: none asked about (-- --endpoint https://…); locally stripe listen brings the events',
            )
          : await checkEndpoint(stripe, endpoint),
      ];
  const emulators = readAddresses(variables);
  const published = await checkPublished(emulators, catalog);
  const extension = checkExtension(context.extension, catalog);
  const rights = [...(await checkRules(emulators)), await checkClaims(emulators)];
  return [...settings, answer, ...account, published, extension, ...rights];
}

/** That the provider answers this key at all; everything else that is asked of it hangs on this. */
export async function checkAnswer(stripe: Stripe): Promise<Finding> {
  try {
    await stripe.products.list({ limit: 1 });
    return fine('provider: answers');
  } catch (error) {
    if (error instanceof Stripe.errors.StripeAuthenticationError) {
      return problem(
        'keys: the provider refuses the secret key',
        'Put a valid sk_test_… into .secret.local.',
      );
    }
    if (error instanceof Stripe.errors.StripePermissionError) {
      return problem(
        'keys: the secret key may not read the catalog',
        'Give the restricted key the rights, or use sk_test_….',
      );
    }
    const why = error instanceof Error ? error.message : String(error);
    return problem(`provider: no answer (${why})`, 'Is the network, or the simulator (npm start), up?');
  }
}

/**
 * The portal's configuration.
 *
 * @param needsDefault whether the account must have saved its default: Stripe's portal opens only then, the
 * simulator's always.
 */
export async function checkPortal(stripe: Stripe, needsDefault: boolean): Promise<Finding> {
  const configuration = await findConfiguration(stripe);
  if (needsDefault && configuration?.is_default !== true) {
    return problem('portal: the account has no default settings yet', SAVE_ONCE);
  }
  const wrong = configuration === undefined ? [] : differsFrom(configuration);
  if (wrong.length === 0)
    return fine('portal: cancels at the period’s end, no pausing, plans are changed on pages of their own');
  return problem(`portal: ${wrong.join(', ')} not as the service needs`, 'npm run stripe:setup fixes it.');
}

/** The pages on which a change of plan is confirmed. The service makes one that is missing, set-up brings all up to date. */
export async function checkChangePages(stripe: Stripe, catalog: Catalog): Promise<Finding> {
  const missing = await missingChangePages(stripe, catalog);
  if (missing.length === 0) return fine('changes of plan: their pages are as the catalogue needs them');
  return problem(`changes of plan: no ${missing.join(', no ')}`, `${SET_UP} makes them.`);
}

/** @param url the address that the service's events are delivered to */
export async function checkEndpoint(stripe: Stripe, url: string): Promise<Finding> {
  const endpoint = await findEndpoint(stripe, url);
  const setUp = `npm run stripe:setup -- --endpoint ${url}`;
  if (endpoint === undefined) return problem(`endpoint: ${url} is not registered`, `${setUp} registers it.`);
  if (endpoint.status !== 'enabled') return problem('endpoint: is disabled', `${setUp} switches it on.`);
  const missing = missingEvents(endpoint);
  if (missing.length > 0) return problem(`endpoint: gets no ${missing.join(', ')}`, `${setUp} adds them.`);
  if (endpoint.api_version !== Stripe.API_VERSION) {
    return problem(
      `endpoint: its events have the version ${endpoint.api_version ?? 'of the account'}`,
      `Delete it in the Dashboard, then ${setUp} makes it with ${Stripe.API_VERSION}.`,
    );
  }
  return fine(`endpoint: ${url} gets every event`);
}

const SET_UP = 'npm run stripe:setup';

/** Checks that each offer of the catalogue has a price that can be sold, and notes amounts and credits that differ. */
export async function checkCatalog(stripe: Stripe, catalog: Catalog): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const offer of [...catalog.plans, ...catalog.packs]) findings.push(await checkOffer(stripe, offer));
  return findings;
}

async function checkOffer(stripe: Stripe, offer: Offer): Promise<Finding> {
  const about = `price ${offer.lookupKey}`;
  const price = await findPrice(stripe, offer.lookupKey);
  if (price === undefined)
    return problem(`${about}: no active price has this lookup key`, `${SET_UP} makes it.`);
  const wrong = mismatch(offer, price);
  if (wrong !== null) return problem(`${about} ${wrong}`, howToReprice(offer));
  const lacking = currencyRepair(offer, price);
  if (lacking !== null) {
    return problem(`${about}: has no amount in ${Object.keys(lacking).join(', ')}`, `${SET_UP} adds it.`);
  }
  const repair = metadataRepair(offer, price);
  const differs = differences(offer, price);
  if (repair === null)
    return differs.length === 0 ? fine(about) : noted(`${about} ${differs.join('; ')}`, THEIRS);
  const wanted = Object.entries(repair).map(
    ([key, value]) => `${key} should be ${value === '' ? 'absent' : value}`,
  );
  return problem(`${about}: in its metadata ${wanted.join(', ')}`, `${SET_UP} fixes it.`);
}

type Emulators = Pick<SuiteAddresses, 'firestoreEmulator' | 'authEmulator' | 'project'>;

const DEPLOY = 'Bring firestore.rules back to the repository’s, then: firebase deploy --only firestore:rules';

/** The published catalogue, which the function goes by, against the file. */
export async function checkPublished(
  at: Pick<Emulators, 'firestoreEmulator' | 'project'>,
  file: Catalog,
): Promise<Finding> {
  const documents = `http://${at.firestoreEmulator}/v1/projects/${at.project}/databases/(default)/documents`;
  const response = await fetch(`${documents}/billing_catalog/current`, {
    headers: { authorization: 'Bearer owner' },
  });
  if (response.status === 404) return fine('published: nothing; the file is in force');
  const { fields } = (await response.json()) as {
    readonly fields?: Readonly<
      Record<string, { readonly stringValue?: string; readonly integerValue?: string }>
    >;
  };
  const version = `version ${fields?.version?.integerValue ?? 'of an unknown form'}`;
  if (fields?.catalog?.stringValue === JSON.stringify(file)) {
    return fine(`published: ${version}, as the file says`);
  }
  return problem(
    `published: ${version} is in force, and the file says otherwise`,
    '"npx billing catalog push --dry-run" shows where.',
  );
}

/** The rules as a signed-in user meets them: the own record can be read, nobody else's, and nothing written. */
export async function checkRules(at: Emulators): Promise<readonly Finding[]> {
  const { uid, idToken } = await signUp(at);
  const base = `http://${at.firestoreEmulator}/v1/projects/${at.project}/databases/(default)/documents/customers`;
  const ask = async (path: string, method = 'GET'): Promise<number> => {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: { authorization: `Bearer ${idToken}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify({ fields: { paid: { booleanValue: true } } }) }),
    });
    return response.status;
  };
  // There is no record of a new user: 404 is what a permitted look at it says.
  const own = await ask(uid);
  const foreign = await ask(`${uid}-other`);
  const write = await ask(uid, 'PATCH');
  const ledger = await ask(`${uid}/credit_ledger/doctor`, 'PATCH');
  return [
    own === 200 || own === 404
      ? fine('rules: a user reads the own record')
      : problem(`rules: a user cannot read the own record (${own})`, DEPLOY),
    foreign === 403
      ? fine('rules: nobody else’s record can be read')
      : problem(`rules: another user’s record can be read (${foreign})`, DEPLOY),
    write === 403 && ledger === 403
      ? fine('rules: a user writes neither record nor ledger')
      : problem(`rules: a user can write the own record or ledger (${write}, ${ledger})`, DEPLOY),
  ];
}

/** That the claim `paid` can be set on a user, and is then there. */
export async function checkClaims(at: Emulators): Promise<Finding> {
  try {
    const { uid } = await signUp(at);
    await writePaidClaim(at, uid, true);
    if ((await readPaidClaim(at, uid)) === true) return fine('claims: can be written');
    return problem('claims: what was written is not there', 'Restart the auth emulator (npm start).');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const todo = 'Deployed, the function’s service account needs the role Firebase Authentication Admin.';
    return problem(`claims: cannot be written (${why})`, todo);
  }
}
