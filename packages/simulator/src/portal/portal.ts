import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { checkAddress, mergedMetadata } from '../http/values.ts';
import { newId, randomToken } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { flowAsked } from './flow.ts';

function makePortalSession(
  now: number,
  given: {
    customer: string;
    configuration: string;
    returnUrl: string | null;
    locale: Stripe.BillingPortal.Session.Locale | null;
    flow: Stripe.BillingPortal.Session.Flow | null;
    baseUrl: string;
  },
): Stripe.BillingPortal.Session {
  const id = newId('bps');
  return {
    id,
    object: 'billing_portal.session',
    configuration: given.configuration,
    created: now,
    customer: given.customer,
    customer_account: null,
    flow: given.flow,
    livemode: false,
    locale: given.locale,
    on_behalf_of: null,
    return_url: given.returnUrl,
    url: `${given.baseUrl}/p/session/${id}#${randomToken(8)}`,
  };
}

/** A configuration with the features off that a request does not name, as the API makes it. */
function makePortalConfiguration(now: number, isDefault: boolean): Stripe.BillingPortal.Configuration {
  return {
    id: newId('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: now,
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: isDefault },
      payment_method_update: { enabled: isDefault, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: [], options: [] },
        enabled: isDefault,
        mode: 'at_period_end',
        proration_behavior: 'none',
      },
      subscription_pause: {
        duration: { interval_options: [{ interval: 'month', interval_count: 1 }], type: 'interval_options' },
        enabled: false,
      },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: false,
        products: [],
        proration_behavior: 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    is_default: isDefault,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: now,
  };
}

type Configuration = Stripe.BillingPortal.Configuration;

/** Puts what a request names over what is there, map by map; lists and values are replaced. */
function overlay<T extends object>(target: T, given: object | undefined): T {
  if (given === undefined) return target;
  const merged: Record<string, unknown> = Object.fromEntries(Object.entries(target));
  for (const [key, value] of Object.entries(given)) {
    const before = merged[key];
    const both = isMap(before) && isMap(value);
    merged[key] = both ? overlay(before, value) : value === '' ? (Array.isArray(before) ? [] : null) : value;
  }
  return merged as T;
}

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the portal shows when a session names no configuration; saved in the Dashboard with real Stripe. */
function defaultConfiguration(world: World): Configuration {
  const found = world.tables.portal_configurations.find((row) => row.is_default);
  if (found === undefined && !world.options.hasPortal)
    throw invalidRequest(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
    );
  return found ?? world.tables.portal_configurations.insert(makePortalConfiguration(world.clock.now(), true));
}

/** The features after a request's changes; what a product leaves open about quantities is off. */
function changedFeatures(before: Configuration['features'], given: object | undefined) {
  const features = overlay(before, given);
  for (const product of features.subscription_update.products ?? [])
    product.adjustable_quantity = {
      ...{ enabled: false, maximum: null, minimum: 1 },
      ...product.adjustable_quantity,
    };
  return features;
}

/** Of one configuration (docs.stripe.com/api/customer_portal/configurations/create). */
const MAX_PRODUCTS = 10;

/** What a plan switch in the portal needs to be offered at all. */
function checkSwitching(world: World, { subscription_update: update }: Configuration['features']): void {
  const path = 'features[subscription_update]';
  if (!update.enabled) return;
  for (const name of ['default_allowed_updates', 'products'] as const)
    if ((update[name] ?? []).length === 0)
      throw invalidRequest(
        `Missing required param: ${path}[${name}].`,
        `${path}[${name}]`,
        'parameter_missing',
      );
  if ((update.products ?? []).length > MAX_PRODUCTS)
    throw invalidRequest(`You may only specify up to ${MAX_PRODUCTS} products.`, `${path}[products]`);
  for (const [index, product] of (update.products ?? []).entries())
    for (const price of product.prices)
      world.tables.prices.named(price, `${path}[products][${index}][prices]`);
}

function checkAddresses({
  default_return_url: back,
  business_profile: profile,
}: Stripe.BillingPortal.ConfigurationUpdateParams): void {
  checkAddress(back, 'default_return_url');
  checkAddress(profile?.privacy_policy_url, 'business_profile[privacy_policy_url]');
  checkAddress(profile?.terms_of_service_url, 'business_profile[terms_of_service_url]');
}

export const portalRoutes = [
  route<Stripe.BillingPortal.SessionCreateParams>('POST /v1/billing_portal/sessions', ({ world, params }) => {
    if (params.customer === undefined)
      throw invalidRequest('Missing required param: customer.', 'customer', 'parameter_missing');
    const customer = world.tables.customers.named(params.customer, 'customer');
    checkAddress(params.return_url, 'return_url');
    const configuration =
      params.configuration === undefined
        ? defaultConfiguration(world)
        : world.tables.portal_configurations.named(params.configuration, 'configuration');
    const session = makePortalSession(world.clock.now(), {
      customer: customer.id,
      configuration: configuration.id,
      returnUrl: params.return_url ?? configuration.default_return_url,
      locale: params.locale ?? null,
      flow: flowAsked(world, params.flow_data, customer, configuration.features),
      baseUrl: world.options.baseUrl,
    });
    world.tables.portal_sessions.insert(session);
    world.emit('billing_portal.session.created', session, null);
    return session;
  }),
  route<Stripe.BillingPortal.ConfigurationListParams>(
    'GET /v1/billing_portal/configurations',
    ({ world, params, path }) => {
      const rows = world.tables.portal_configurations
        .newestFirst()
        .filter((row) => params.active === undefined || row.active === params.active)
        .filter((row) => params.is_default === undefined || row.is_default === params.is_default);
      return page(rows, params, path);
    },
  ),
  route<Stripe.BillingPortal.ConfigurationCreateParams>(
    'POST /v1/billing_portal/configurations',
    ({ world, params }) => {
      checkAddresses(params);
      const made = makePortalConfiguration(world.clock.now(), false);
      made.business_profile = overlay(made.business_profile, params.business_profile);
      made.default_return_url = params.default_return_url || null;
      made.features = changedFeatures(made.features, params.features);
      checkSwitching(world, made.features);
      made.metadata = mergedMetadata(null, params.metadata);
      made.name = params.name || null;
      world.tables.portal_configurations.insert(made);
      world.emit('billing_portal.configuration.created', made, null);
      return made;
    },
  ),
  route('GET /v1/billing_portal/configurations/{configuration}', ({ world, id }) =>
    world.tables.portal_configurations.inPath(id('configuration')),
  ),
  route<Stripe.BillingPortal.ConfigurationUpdateParams>(
    'POST /v1/billing_portal/configurations/{configuration}',
    ({ world, id, params }) => {
      const configuration = world.tables.portal_configurations.inPath(id('configuration'));
      checkAddresses(params);
      const features = changedFeatures(configuration.features, params.features);
      checkSwitching(world, features);
      world.change('billing_portal.configuration.updated', configuration, null, (row) => {
        row.active = params.active ?? row.active;
        row.business_profile = overlay(row.business_profile, params.business_profile);
        if (params.default_return_url !== undefined)
          row.default_return_url = params.default_return_url || null;
        row.features = features;
        row.metadata = mergedMetadata(row.metadata, params.metadata);
        if (params.name !== undefined) row.name = params.name || null;
      });
      configuration.updated = world.clock.now();
      return configuration;
    },
  ),
];
