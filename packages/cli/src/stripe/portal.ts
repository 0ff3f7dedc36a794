import type { Stripe } from 'stripe';
import type { Step } from './set-up.ts';

/**
 * What the customer may do in the portal. A switch of plans would carry the old purchase's metadata, and a pause is
 * no state of the record, so both are off; a cancel takes effect when what was paid for is used up.
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
    data.find(({ metadata }) => metadata?.made_by === MARK.made_by)
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
