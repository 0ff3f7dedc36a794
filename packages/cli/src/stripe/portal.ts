import type { Catalog } from '@extension-billing/contract/catalog';
import type { Stripe } from 'stripe';
import {
  createChangePage,
  findPlanPrices,
  isAsWanted,
  isOlderForm,
  listChangePages,
  updateChangePage,
  type WantedPage,
  wantedPages,
} from '../../../../functions/src/stripe/change-page.ts';
import type { Step } from './set-up.ts';

/**
 * What the customer may do in the portal. A change of plan is confirmed on a page of its own (POST /billing/change), and a
 * pause is no state of the record, so both are off; a cancel takes effect when what was paid for is used up.
 */
const PORTAL_FEATURES = {
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: 'at_period_end' },
  subscription_update: { enabled: false },
  subscription_pause: { enabled: false },
} as const satisfies Stripe.BillingPortal.ConfigurationUpdateParams.Features;

const MARK = { made_by: 'extension-billing' } as const;
const ABOUT = 'portal configuration';
/** Only the Dashboard makes an account's default configuration. */
export const SAVE_ONCE =
  'The portal uses the account’s default settings, which only the Dashboard makes: save them once under ' +
  'https://dashboard.stripe.com/test/settings/billing/portal and run this again.';

/**
 * Brings the portal's configuration to PORTAL_FEATURES: the account's default where there is one, since the
 * service names none; else one of our own.
 *
 * @param needsDefault whether sessions open only where the account has a default: so at Stripe, not at the simulator
 */
export async function setPortal(stripe: Stripe, needsDefault: boolean): Promise<Step> {
  const { configuration, did } = await bringToFeatures(stripe);
  if (needsDefault && !configuration.is_default) return { about: ABOUT, did: 'problem', note: SAVE_ONCE };
  return { about: ABOUT, did };
}

async function bringToFeatures(stripe: Stripe): Promise<{
  readonly configuration: Stripe.BillingPortal.Configuration;
  readonly did: 'created' | 'updated' | 'unchanged';
}> {
  const features = { ...PORTAL_FEATURES };
  const configuration = await findConfiguration(stripe);
  if (configuration === undefined) {
    const made = await stripe.billingPortal.configurations.create({ features, metadata: MARK });
    return { configuration: made, did: 'created' };
  }
  if (differsFrom(configuration).length === 0) return { configuration, did: 'unchanged' };
  await stripe.billingPortal.configurations.update(configuration.id, { features });
  return { configuration, did: 'updated' };
}

/** The configuration that set-up keeps in order. */
export async function findConfiguration(
  stripe: Stripe,
): Promise<Stripe.BillingPortal.Configuration | undefined> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  return (
    data.find(({ is_default }) => is_default) ??
    data.find(({ metadata }) => metadata?.made_by === MARK.made_by && metadata.purpose === undefined)
  );
}

/** Names of the settings that are not as PORTAL_FEATURES has them. */
export function differsFrom({ features }: Stripe.BillingPortal.Configuration): readonly string[] {
  const { subscription_cancel: cancel, subscription_update: update, subscription_pause: pause } = features;
  const wanted = PORTAL_FEATURES;
  return [
    ...(features.invoice_history.enabled ? [] : ['invoice_history']),
    ...(features.payment_method_update.enabled ? [] : ['payment_method_update']),
    ...(cancel.enabled && cancel.mode === wanted.subscription_cancel.mode ? [] : ['subscription_cancel']),
    ...(update.enabled ? ['subscription_update'] : []),
    ...(pause.enabled ? ['subscription_pause'] : []),
  ];
}

/** The pages for changes of plan that there should be, each with the configuration that is it, or an older form of it. */
async function compareChangePages(stripe: Stripe, { plans }: Catalog) {
  const keys = plans.flatMap(({ kind, lookupKey }) => (kind === 'subscription' ? [lookupKey] : []));
  // One plan alone is changed to by nobody.
  const wanted = keys.length < 2 ? [] : wantedPages(await findPlanPrices(stripe, keys));
  const found = await listChangePages(stripe);
  return wanted.map((page) => ({
    page,
    asWanted: found.find((each) => isAsWanted(each, page)),
    older: found.find((each) => isOlderForm(each, page)),
  }));
}

const aboutPage = ({ trial, products }: WantedPage) =>
  `page for changes of plan (${trial === 'end_trial' ? 'ends a trial' : 'keeps a trial'}, ${products.length} products)`;

/** Makes the pages on which a change of plan is confirmed, or brings them up to the catalogue. */
export async function setChangePages(stripe: Stripe, catalog: Catalog): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { page, asWanted, older } of await compareChangePages(stripe, catalog)) {
    const about = aboutPage(page);
    if (asWanted !== undefined) steps.push({ about, did: 'unchanged' });
    else if (older !== undefined) {
      await updateChangePage(stripe, older.id, page);
      steps.push({ about, did: 'updated' });
    } else {
      await createChangePage(stripe, page);
      steps.push({ about, did: 'created' });
    }
  }
  return steps;
}

/** Descriptions of the pages for changes of plan that are not as the catalogue needs them. */
export async function missingChangePages(stripe: Stripe, catalog: Catalog): Promise<readonly string[]> {
  const pages = await compareChangePages(stripe, catalog);
  return pages.flatMap(({ page, asWanted }) => (asWanted === undefined ? [aboutPage(page)] : []));
}
