import type { Pricing } from '@extension-billing/contract/pricing';
import type { Stripe } from 'stripe';
import { howToReprice, metadataRepair, mismatches, type Offer } from '../stripe/compare-price.ts';
import { type Finding, fine, problem } from './finding.ts';

const SET_UP = 'npm run stripe:setup';

/** Each offer of the pricing file against the provider's price: that it is there, its amount, its credits. */
export async function checkCatalog(stripe: Stripe, catalog: Pricing): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const offer of [...catalog.plans, ...catalog.packs]) findings.push(await checkOffer(stripe, offer));
  return findings;
}

async function checkOffer(stripe: Stripe, offer: Offer): Promise<Finding> {
  const about = `price ${offer.lookupKey}`;
  const { data } = await stripe.prices.list({ lookup_keys: [offer.lookupKey], active: true });
  const [price] = data;
  if (price === undefined)
    return problem(`${about}: no active price has this lookup key`, `${SET_UP} makes it.`);
  const wrong = mismatches(offer, price);
  if (wrong.length > 0) return problem(`${about} ${wrong.join(' and ')}`, howToReprice(offer));
  const repair = metadataRepair(offer, price);
  if (repair === null) return fine(about);
  const told = Object.entries(repair).map(
    ([key, value]) => `${key} should be ${value === '' ? 'absent' : value}`,
  );
  return problem(`${about}: in its metadata ${told.join(', ')}`, `${SET_UP} mends it.`);
}
