import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Catalog } from '@extension-billing/contract/catalog';
import { Stripe } from 'stripe';
import { catalog } from '../local/catalog.ts';
import { ROOT, readSecrets } from '../local/suite.ts';
import { seedCatalog } from './catalog.ts';
import { chooseProvider, connect, redact } from './connect.ts';
import { setChangePages, setPortal } from './portal.ts';
import { checkEndpointUrl, registerWebhook } from './webhook.ts';

interface Asked {
  readonly endpoint: string | undefined;
  /** The live account; otherwise the test mode, or the simulator. */
  readonly isLive: boolean;
}

/** Brings the account that the key belongs to to what the service needs. @returns 0, or 1 where something is left to do. */
export async function setUp(asked: Asked): Promise<0 | 1> {
  let asks: 'simulator' | 'stripe' = 'simulator';
  try {
    // What is live never mixes with what the local suite reads.
    const secretFile = join(ROOT, asked.isLive ? '.secret.live' : '.secret.local');
    const choice = chooseProvider(process.env, readSecrets(secretFile).PAYMENT_SECRET_KEY, asked.isLive);
    const isSimulator = choice.base !== null;
    asks = isSimulator ? 'simulator' : 'stripe';
    const endpoint = asked.endpoint === undefined ? undefined : checkEndpointUrl(asked.endpoint, isSimulator);
    console.log(
      isSimulator ? `The simulator at ${choice.base}:` : `Stripe, with the key ${redact(choice.key)}:`,
    );
    const stripe = await connect(choice);
    return print(
      await setUpProvider({ stripe, isSimulator, catalog, endpoint, secretFile }),
      endpoint === undefined && !isSimulator,
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(message);
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    if (isRefused || /connection/i.test(message)) {
      console.error(
        asks === 'simulator'
          ? 'Is the simulator up? npm run simulator, or npm start.'
          : 'Stripe (api.stripe.com) cannot be reached from here. Check the network and any proxy, then run this again.',
      );
    }
    return 1;
  }
}

function print(steps: readonly Step[], withoutEndpoint: boolean): 0 | 1 {
  for (const step of steps) console.log(lineOf(step));
  if (withoutEndpoint) {
    console.log(
      'no webhook endpoint asked for (--endpoint https://…/billing/webhook); locally: stripe listen',
    );
  }
  const changed = steps.filter(({ did }) => did === 'created' || did === 'updated').length;
  console.log(changed === 0 ? 'Nothing had to be changed.' : `${changed} changed.`);
  return steps.some(({ did }) => did === 'problem') ? 1 : 0;
}

/** What set-up did about one thing. A `problem` is left for a person, and `note` says what to do. */
export interface Step {
  readonly about: string;
  readonly did: 'created' | 'updated' | 'unchanged' | 'problem';
  readonly note?: string;
}

/** One line for a person. */
export function lineOf({ about, did, note }: Step): string {
  return `${did.padEnd(9)}  ${about}${note === undefined ? '' : `\n           ${note}`}`;
}

/**
 * Puts one value into `.secret.local` and leaves its other lines as they are. Readable by its owner only.
 *
 * @returns whether the file was written; false when the value was there.
 */
export function storeSecret(file: string, name: string, value: string): boolean {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (parseEnv(text)[name] === value) return false;
  const line = `${name}=${value}`;
  const isIt = new RegExp(`^\\s*${name}\\s*=`);
  const lines = text.split('\n');
  const kept = lines.filter((one, at) => !(one === '' && at === lines.length - 1));
  const replaced = kept.some((one) => isIt.test(one))
    ? kept.map((one) => (isIt.test(one) ? line : one))
    : [...kept, line];
  const beside = `${file}.new`;
  writeFileSync(beside, `${replaced.join('\n')}\n`, { mode: 0o600 });
  renameSync(beside, file);
  return true;
}

interface Account {
  readonly stripe: Stripe;
  readonly isSimulator: boolean;
  readonly catalog: Catalog;
  /** The webhook endpoint's address; none is registered when it is undefined. */
  readonly endpoint: string | undefined;
  /** The file that an endpoint's new signing secret is put into: `.secret.local`, or `.secret.live`. */
  readonly secretFile: string;
}

/**
 * Brings an account, Stripe's or the simulator's, to what the service needs. Repeatable: a second run reads only.
 *
 * @throws the SDK's error when the provider refuses.
 */
export async function setUpProvider(given: Account): Promise<readonly Step[]> {
  const catalog = await seedCatalog(given.stripe, given.catalog);
  const portal = await setPortal(given.stripe, !given.isSimulator);
  const changes = await setChangePages(given.stripe, given.catalog);
  const endpoint = given.endpoint === undefined ? [] : [await register(given, given.endpoint)];
  return [...catalog, portal, ...changes, ...endpoint];
}

async function register({ stripe, secretFile }: Account, url: string): Promise<Step> {
  const about = `webhook endpoint ${url}`;
  const registered = await registerWebhook(stripe, url);
  if (registered.did !== 'created') {
    if (registered.version === Stripe.API_VERSION) return { about, did: registered.did };
    const note =
      `Its events have the version ${registered.version ?? 'of the account'}, not ${Stripe.API_VERSION}, and the ` +
      'provider cannot change that: delete the endpoint in the Dashboard and run this again.';
    return { about, did: 'problem', note };
  }
  if (registered.secret === undefined) {
    return { about, did: 'problem', note: 'No signing secret came with it: reveal it in the Dashboard.' };
  }
  if (readSecrets(secretFile).PAYMENT_WEBHOOK_SECRET !== registered.secret) {
    storeSecret(secretFile, 'PAYMENT_WEBHOOK_SECRET', registered.secret);
  }
  const note =
    `Its signing secret (${redact(registered.secret)}) is in ${basename(secretFile)}. A deployed function takes it from ` +
    '`firebase functions:secrets:set PAYMENT_WEBHOOK_SECRET`.';
  return { about, did: 'created', note };
}
