import { basename } from 'node:path';
import type { Pricing } from '@extension-billing/contract/pricing';
import { Stripe } from 'stripe';
import { readSecrets } from '../../../../tools/suite/settings.ts';
import { redact } from './connect.ts';
import { registerWebhook } from './register-webhook.ts';
import { seedCatalog } from './seed-catalog.ts';
import { setPortal } from './set-portal.ts';
import type { Step } from './step.ts';
import { storeSecret } from './store-secret.ts';

export interface SetUp {
  readonly stripe: Stripe;
  readonly isSimulator: boolean;
  readonly catalog: Pricing;
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
