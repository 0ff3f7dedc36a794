import type { Catalog, Offer } from '@extension-billing/contract/catalog';
import { Stripe } from 'stripe';
import {
  currencyRepair,
  differences,
  findPrice,
  howToReprice,
  metadataRepair,
  mismatch,
  THEIRS,
} from '../stripe/catalog.ts';
import { differsFrom, findConfiguration, missingChangePages, SAVE_ONCE } from '../stripe/portal.ts';
import { findEndpoint, missingEvents } from '../stripe/webhook.ts';
import { type Finding, fine, noted, problem } from './check-settings.ts';

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
  return problem(`portal: ${wrong.join(', ')} not as the service needs`, 'npx billing setup fixes it.');
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
  const setUp = `npx billing setup --endpoint ${url}`;
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

const SET_UP = 'npx billing setup';

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
  const product = typeof price.product === 'string' ? price.product : price.product.id;
  const { active } = await stripe.products.retrieve(product);
  if (!active)
    return problem(
      `${about}: its product ${product} is archived, so nobody can buy it`,
      'Activate it at Stripe, or take the offer out of the catalogue.',
    );
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
