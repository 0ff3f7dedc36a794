import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import type { Catalog } from '@extension-billing/contract/catalog';
import { Stripe } from 'stripe';
import { readSecrets } from '../local/suite.ts';
import { seedCatalog } from './catalog.ts';
import { redact } from './connect.ts';
import { setPortal } from './portal.ts';
import { registerWebhook } from './webhook.ts';

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

interface SetUp {
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
export async function setUpProvider(given: SetUp): Promise<readonly Step[]> {
  const catalog = await seedCatalog(given.stripe, given.catalog);
  const portal = await setPortal(given.stripe, !given.isSimulator);
  const endpoint = given.endpoint === undefined ? [] : [await register(given, given.endpoint)];
  return [...catalog, portal, ...endpoint];
}

async function register({ stripe, secretFile }: SetUp, url: string): Promise<Step> {
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
