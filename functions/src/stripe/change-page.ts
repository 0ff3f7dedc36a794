import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import type { Config } from '../config.ts';
import { CatalogProblem } from './client.ts';
import { idOf } from './fields.ts';
import { returnTo } from './sessions.ts';

type Configuration = Stripe.BillingPortal.Configuration;
type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features;
type Product = Stripe.BillingPortal.ConfigurationCreateParams.Features.SubscriptionUpdate.Product;

/** The provider takes so many lookup keys in a question, and so many products in a configuration. */
const MAX_PLANS = 10;

/** What a running trial does when its plan is changed. */
export type TrialBehaviour = 'continue_trial' | 'end_trial';
export const TRIAL_BEHAVIOURS: readonly TrialBehaviour[] = ['continue_trial', 'end_trial'];

const MARK = { made_by: 'extension-billing', purpose: 'change' } as const;

/** What makes a change wait for the period's end: it costs less, or is billed more often. */
const PUT_OFF = ['decreasing_item_amount', 'shortening_interval'] as const;

/**
 * What the page does on which a change of plan is confirmed: what costs more is billed at once for the difference, what
 * costs less waits (docs/decisions/changes-of-plan.md). It is reached through POST /billing/change alone: the
 * portal's own configuration lets nobody switch.
 */
function featuresOf(products: readonly Product[], trial: TrialBehaviour): Features {
  return {
    payment_method_update: { enabled: true },
    subscription_update: {
      enabled: true,
      default_allowed_updates: ['price'],
      products: products.map((product) => ({ ...product })),
      proration_behavior: 'always_invoice',
      trial_update_behavior: trial,
      schedule_at_period_end: { conditions: PUT_OFF.map((type) => ({ type })) },
    },
  };
}

/** A configuration that there should be. */
export interface WantedPage {
  readonly products: readonly Product[];
  readonly trial: TrialBehaviour;
}

/** The configurations for plans: one for each behaviour of a trial, and so many plans in each. */
export function wantedPages(prices: readonly Stripe.Price[]): readonly WantedPage[] {
  const byProduct = new Map<string, string[]>();
  for (const price of prices) {
    const product = idOf(price.product) ?? '';
    byProduct.set(product, [...(byProduct.get(product) ?? []), price.id]);
  }
  const products = [...byProduct].map(([product, ids]) => ({ product, prices: ids.sort() }));
  const parts = Array.from({ length: Math.ceil(products.length / MAX_PLANS) }, (_, part) =>
    products.slice(part * MAX_PLANS, (part + 1) * MAX_PLANS),
  );
  return parts.flatMap((part) => TRIAL_BEHAVIOURS.map((trial) => ({ products: part, trial })));
}

/** The prices of plans that are billed by the period, found by their lookup keys. */
export async function findPlanPrices(
  stripe: Stripe,
  lookupKeys: readonly string[],
): Promise<readonly Stripe.Price[]> {
  const found: Stripe.Price[] = [];
  for (let start = 0; start < lookupKeys.length; start += MAX_PLANS) {
    const keys = lookupKeys.slice(start, start + MAX_PLANS);
    const { data } = await stripe.prices.list({ lookup_keys: keys, active: true, limit: 100 });
    found.push(...data.filter(({ recurring }) => recurring !== null));
  }
  return found;
}

/** The active configurations for changes that this service, or set-up, made. */
export async function listChangePages(stripe: Stripe): Promise<readonly Configuration[]> {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  return data.filter(
    ({ metadata }) => metadata?.made_by === MARK.made_by && metadata.purpose === MARK.purpose,
  );
}

function settingsOf({ features: { subscription_update: update } }: Configuration) {
  return {
    enabled: update.enabled,
    updates: update.default_allowed_updates,
    proration: update.proration_behavior,
    trial: update.trial_update_behavior,
    putOff: update.schedule_at_period_end.conditions.map(({ type }) => type).sort(),
  };
}

const SETTINGS = {
  enabled: true,
  updates: ['price'],
  proration: 'always_invoice',
  putOff: [...PUT_OFF].sort(),
} as const;

function behaves(configuration: Configuration, trial: TrialBehaviour): boolean {
  const { trial: found, ...settings } = settingsOf(configuration);
  return found === trial && sameJson(settings, SETTINGS);
}

function sameJson(a: object, b: object): boolean {
  const sorted = (value: object) =>
    JSON.stringify(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)));
  return sorted(a) === sorted(b);
}

function pricesIn({ features }: Configuration): readonly string[] {
  return (features.subscription_update.products ?? []).flatMap(({ prices }) => prices);
}

/** Whether a configuration is what is wanted. */
export function isAsWanted(configuration: Configuration, { products, trial }: WantedPage): boolean {
  const wanted = products.flatMap(({ prices = [] }) => prices).sort();
  return behaves(configuration, trial) && sameJson([...pricesIn(configuration)].sort(), wanted);
}

/** Whether a configuration is an older form of what is wanted: it shares a plan and the behaviour of a trial. */
export function isOlderForm(configuration: Configuration, { products, trial }: WantedPage): boolean {
  const wanted = products.flatMap(({ prices = [] }) => prices);
  return (
    settingsOf(configuration).trial === trial && pricesIn(configuration).some((id) => wanted.includes(id))
  );
}

/** Requests at once, on whichever instances, make one: the key says what is made. */
export async function createChangePage(stripe: Stripe, wanted: WantedPage): Promise<Configuration> {
  const params = { features: featuresOf(wanted.products, wanted.trial), metadata: MARK };
  const hash = createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 24);
  return stripe.billingPortal.configurations.create(params, { idempotencyKey: `change_page_${hash}` });
}

export async function updateChangePage(stripe: Stripe, id: string, wanted: WantedPage): Promise<void> {
  await stripe.billingPortal.configurations.update(id, {
    features: featuresOf(wanted.products, wanted.trial),
  });
}

/**
 * The configuration that offers a price; it is made where set-up has not.
 *
 * @param lookupKeys of all plans that are billed by the period
 * @throws CatalogProblem where the provider has no such price
 */
async function findChangePage(
  stripe: Stripe,
  lookupKeys: readonly string[],
  priceId: string,
  trial: TrialBehaviour,
): Promise<string> {
  const offers = (page: WantedPage) => page.products.some(({ prices = [] }) => prices.includes(priceId));
  const known = (await listChangePages(stripe)).find(
    (each) => behaves(each, trial) && pricesIn(each).includes(priceId),
  );
  if (known !== undefined) return known.id;
  const pages = wantedPages(await findPlanPrices(stripe, lookupKeys));
  const wanted = pages.find((page) => page.trial === trial && offers(page));
  if (wanted === undefined) throw new CatalogProblem(priceId, 'no active price of a plan has this id');
  return (await createChangePage(stripe, wanted)).id;
}

/** A change of plan to be confirmed. */
interface WantedChange {
  readonly customer: string;
  readonly subscription: string;
  /** Of the subscription's one item. */
  readonly item: string;
  readonly quantity: number;
  readonly priceId: string;
  readonly trial: TrialBehaviour;
  /** The extension that the customer comes back to; null where that is not known. */
  readonly extension: string | null;
  /** Of all plans that are billed by the period. */
  readonly lookupKeys: readonly string[];
}

/** The address of the provider's page that shows what the change costs and asks for it. */
export async function openChangePage(
  stripe: Stripe,
  { portalReturnUrl }: Config,
  { customer, subscription, item, quantity, priceId, trial, extension, lookupKeys }: WantedChange,
): Promise<string> {
  const back = returnTo(portalReturnUrl, extension);
  const { url } = await stripe.billingPortal.sessions.create({
    customer,
    configuration: await findChangePage(stripe, lookupKeys, priceId, trial),
    return_url: back,
    flow_data: {
      type: 'subscription_update_confirm',
      after_completion: { type: 'redirect', redirect: { return_url: back } },
      subscription_update_confirm: { subscription, items: [{ id: item, price: priceId, quantity }] },
    },
  });
  return url;
}
