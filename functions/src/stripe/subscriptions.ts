import { type Catalog, hasTiers, isPlanKey } from '@extension-billing/contract/catalog';
import type { PlannedChange } from '@extension-billing/contract/customer';
import { isRunning, rankOf } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import type { AppDeps } from '../deps.ts';
import { parseUid, type Uid } from '../store/documents.ts';
import { isMissing, isRefusedRequest } from './client.ts';
import { isUnknownCustomer } from './customers.ts';
import type { CollectionPause, PlanCredits, SubscriptionState } from './facts.ts';
import { type PurchaseMetadata, readInstant, readMetadata, rowsOf } from './fields.ts';
import { allowanceOf, billedOf, quantityOf } from './invoices.ts';
import { renewalOf } from './renewal.ts';
import {
  type BesideLifetime,
  type Ending,
  endingOf,
  isOfOtherProject,
  isSold,
  type Seller,
  saleOf,
  soldAt,
} from './sale.ts';
import { readPlanned, releaseSchedule, WITH_PHASES } from './schedules.ts';
import { type SellerDeps, sellerOf } from './seal.ts';

/** Before 2025-03-31 the period stood on the subscription itself, not on its items. */
type OlderSubscription = Stripe.Subscription & {
  readonly current_period_start?: number | null;
  readonly current_period_end?: number | null;
};

/** A subscription as one snapshot shows it, and whom it names; undefined: its customer says whose it is. */
interface ReadSubscription {
  readonly uid: string | undefined;
  readonly state: SubscriptionState;
}

/**
 * One snapshot of a subscription. Under flexible billing, the default, a cancellation in the portal sets only
 * `cancel_at` and leaves the older flag alone (notes: stripe-node#2470), so either counts.
 */
export function readSubscription(subscription: OlderSubscription, seller: Seller): ReadSubscription {
  const { catalog } = seller;
  const items = rowsOf(subscription.items);
  const prices = items.flatMap(({ price }) => price ?? []);
  const { uid, said } = saleOf({ metadata: [subscription.metadata], prices }, seller);
  const service = serviceItem(items, said.priceId, catalog);
  const status = typeof subscription.status === 'string' ? subscription.status : 'unknown';
  const brings = service === undefined ? null : bringsOf(service, said, catalog);
  const named: unknown = service?.price?.lookup_key;
  const state: SubscriptionState = {
    status,
    cancel: subscription.cancel_at_period_end === true || (subscription.cancel_at ?? null) !== null,
    lookupKey: lookupKeyOf(typeof named === 'string' ? named : undefined, said.lookupKey, catalog),
    periodEnd: periodEndOf(subscription, items),
    periodStart: readInstant(service?.current_period_start) ?? readInstant(subscription.current_period_start),
    anchor: readInstant(subscription.billing_cycle_anchor),
    pause: pauseOf(subscription),
    currency: typeof subscription.currency === 'string' ? subscription.currency : null,
    renewal: renewalOf(subscription, service, said),
    trialed: hadTrial(subscription),
    ...entitlementsOf(service, said),
    ...(brings !== null && { brings }),
    ...(said.project !== undefined && { tagged: true }),
    ...(service?.quantity === 0 && { empty: true }),
  };
  return { uid, state };
}

/**
 * What the metadata says counts for the price that was bought; for another one its own word, then the catalogue's
 * (docs/decisions/changes-of-plan.md#credits-of-a-change-within-a-period).
 */
function bringsOf(
  { price, quantity, current_period_start: start, current_period_end: end }: Stripe.SubscriptionItem,
  bought: PurchaseMetadata,
  catalog: Catalog,
): PlanCredits | null {
  const isBought =
    bought.priceId === undefined ? bought.monthlyCredits !== undefined : bought.priceId === price?.id;
  const each = isBought ? bought : soldAt(price, catalog);
  const allowance = allowanceOf(
    { credits: each.monthlyCredits ?? 0, terms: each.terms },
    quantityOf(quantity),
  );
  const from = readInstant(start);
  if (allowance.credits === 0 || from === null) return null;
  return { ...allowance, ...billedOf(price?.id, quantityOf(quantity)), from, until: readInstant(end) };
}

/** Whether a subscription began with a trial. */
export function hadTrial({ status, trial_end }: Stripe.Subscription): boolean {
  return status === 'trialing' || (trial_end ?? null) !== null;
}

/**
 * A subscription as Stripe has it now.
 *
 * @throws the SDK's error where Stripe cannot be asked, or has no such subscription (isNotFound)
 */
export async function retrieveSubscription(
  stripe: Stripe,
  id: string,
  seller: Seller,
): Promise<SubscriptionState> {
  return readSubscription(await stripe.subscriptions.retrieve(id), seller).state;
}

/** The price's own key, which a switch at the provider changes; what was bought, where that is none of ours. */
function lookupKeyOf(
  ofPrice: string | undefined,
  bought: string | undefined,
  catalog: Catalog,
): string | null {
  const known = isPlanKey(catalog, ofPrice) ? ofPrice : isPlanKey(catalog, bought) ? bought : ofPrice;
  return known ?? bought ?? null;
}

/** The sale's own word counts for the price that was bought; after a switch at the provider the price's does. */
function entitlementsOf(
  service: Stripe.SubscriptionItem | undefined,
  bought: PurchaseMetadata,
): Pick<SubscriptionState, 'entitlements'> {
  const isBought = bought.priceId === undefined || bought.priceId === service?.price?.id;
  const entitlements =
    (isBought ? bought.entitlements : undefined) ?? readMetadata(service?.price?.metadata).entitlements;
  return entitlements === undefined ? {} : { entitlements };
}

/**
 * The item that the plan is: the price that was bought, else a plan of the catalogue, else the one that grants most. One of
 * quantity 0 only if there is no other plan.
 */
export function serviceItem(
  items: readonly Stripe.SubscriptionItem[],
  bought: string | undefined,
  catalog: Catalog,
): Stripe.SubscriptionItem | undefined {
  const credits = (item: Stripe.SubscriptionItem) => readMetadata(item.price?.metadata).monthlyCredits ?? 0;
  const found = bought === undefined ? undefined : items.find(({ price }) => price?.id === bought);
  if (found !== undefined && found.quantity !== 0) return found;
  const isPlan = ({ price, quantity }: Stripe.SubscriptionItem) =>
    isPlanKey(catalog, price?.lookup_key) ? (quantity === 0 ? 1 : 2) : 0;
  const [first] = [...items].sort((a, b) => isPlan(b) - isPlan(a) || credits(b) - credits(a));
  return found === undefined || (first !== undefined && isPlan(first) === 2) ? first : found;
}

function pauseOf({ pause_collection: pause }: Stripe.Subscription): CollectionPause | null {
  if (typeof pause !== 'object' || pause === null) return null;
  const behavior = typeof pause.behavior === 'string' ? pause.behavior : 'unknown';
  return { behavior, resumesAt: readInstant(pause.resumes_at) };
}

function periodEndOf(
  subscription: OlderSubscription,
  items: readonly Stripe.SubscriptionItem[],
): number | null {
  const ends = items.map((item) => readInstant(item.current_period_end)).filter((end) => end !== null);
  return ends.length > 0 ? Math.max(...ends) : readInstant(subscription.current_period_end);
}

/**
 * The subscriptions of a customer that have not ended, as the provider has them now, without those of other projects and
 * other users. None for a customer that the provider does not know.
 *
 * @throws the SDK's error when the provider cannot be asked
 */
async function listOwnSubscriptions(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  seller: Seller,
): Promise<readonly Stripe.Subscription[]> {
  const own: Stripe.Subscription[] = [];
  try {
    for await (const subscription of stripe.subscriptions.list({ customer, limit: 100 })) {
      const owner = parseUid(readSubscription(subscription, seller).uid) ?? uid;
      if (owner === uid && !isOfOtherProject(subscription, seller)) own.push(subscription);
    }
  } catch (error) {
    if (isUnknownCustomer(error)) return [];
    throw error;
  }
  return own;
}

/** Whether one of them stands in the way of another plan. */
export async function hasRunningPlan(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  seller: Seller,
): Promise<boolean> {
  const own = await listOwnSubscriptions(stripe, uid, customer, seller);
  return own
    .map((each) => readSubscription(each, seller))
    .some(({ state }) => isSold(state, seller.catalog) && isRunning(state.status) && state.empty !== true);
}

/** A subscription that runs, with what it changes to. */
export interface RunningPlan {
  readonly subscription: Stripe.Subscription;
  readonly state: SubscriptionState & { readonly planned: PlannedChange | null };
}

/**
 * The subscription of a customer that is changed where the plan is: of several the one that is shown. Null where none
 * runs.
 *
 * @throws the SDK's error when the provider cannot be asked
 */
export async function findRunning(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  seller: Seller,
): Promise<RunningPlan | null> {
  const { catalog } = seller;
  const own = (await listOwnSubscriptions(stripe, uid, customer, seller)).map((each) => ({
    id: each.id,
    state: readSubscription(each, seller).state,
  }));
  const [shown] = own
    .filter(({ state }) => isSold(state, catalog) && isRunning(state.status))
    .sort(
      (a, b) =>
        rankOf(a.state.status) - rankOf(b.state.status) ||
        (b.state.periodEnd ?? 0) - (a.state.periodEnd ?? 0),
    );
  if (shown === undefined) return null;
  // Its schedule's prices are as deep as a question may go, and deeper than a list's may.
  const subscription = await stripe.subscriptions.retrieve(shown.id, { expand: WITH_PHASES });
  const { state } = readSubscription(subscription, seller);
  return { subscription, state: { ...state, planned: readPlanned(subscription) } };
}

/**
 * - `at_period_end`, `now`: this call ended it so.
 * - `over`: it had ended already, or ends by itself, or is not to be ended.
 * - `refused`: the provider does not let it be ended so (a schedule owns it, say); a person has to look.
 */
type Ended = Ending | 'over' | 'refused';

/**
 * Ends a subscription beside a lifetime plan. Safe to repeat. Nothing is refunded and nothing is billed.
 *
 * What is known of it may be old, so it is asked to end with its period first, which takes nothing from anybody; the
 * answer is its present state, and says whether it has to end at once.
 *
 * @throws the provider's error where it could not be asked; a later call tries again
 */
async function endSubscription(
  stripe: Stripe,
  id: string,
  seller: Seller,
  owned: readonly string[],
): Promise<Ended> {
  try {
    // It may be of a higher tier by now: that one is not to be touched.
    if (hasTiers(seller.catalog)) {
      const { state } = readSubscription(await stripe.subscriptions.retrieve(id), seller);
      if (endingOf(state, seller.catalog, owned) === null) return 'over';
    }
    const asked = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    return await endAs(stripe, asked, seller, owned);
  } catch (error) {
    if (isMissing(error)) return 'over';
    if (!isRefusedRequest(error)) throw error;
  }
  return endRefused(stripe, id, seller, owned);
}

/** One that has ended, or has not begun, takes no such change. */
async function endRefused(
  stripe: Stripe,
  id: string,
  seller: Seller,
  owned: readonly string[],
): Promise<Ended> {
  try {
    const now = await stripe.subscriptions.retrieve(id);
    const ending = endingOf({ ...readSubscription(now, seller).state, cancel: false }, seller.catalog, owned);
    if (ending === null) return 'over';
    if (ending === 'now') return await endAs(stripe, now, seller, owned);
    // A schedule says how it goes on, also where a change of plan was planned: it lets go, and then it can be ended.
    if (!(await releaseSchedule(stripe, now))) return 'refused';
    const ended = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    return await endAs(stripe, ended, seller, owned);
  } catch (error) {
    if (isMissing(error)) return 'over';
    if (isRefusedRequest(error)) return 'refused';
    throw error;
  }
}

async function endAs(
  stripe: Stripe,
  now: Stripe.Subscription,
  seller: Seller,
  owned: readonly string[],
): Promise<Ended> {
  if (endingOf(readSubscription(now, seller).state, seller.catalog, owned) !== 'now') return 'at_period_end';
  await stripe.subscriptions.cancel(now.id, { invoice_now: false, prorate: false });
  return 'now';
}

/** Ids of the subscriptions of a customer that would charge this user again, as the provider has them now. */
export async function listBilling(
  stripe: Stripe,
  uid: Uid,
  customer: string,
  seller: Seller,
  owned: readonly string[],
): Promise<readonly string[]> {
  const own = await listOwnSubscriptions(stripe, uid, customer, seller);
  return own
    .filter((each) => endingOf(readSubscription(each, seller).state, seller.catalog, owned) !== null)
    .map(({ id }) => id);
}

/**
 * Ends the subscriptions that would charge the owner of a lifetime plan again (design, section 11). Its effect comes
 * back as the provider's events. What the provider refuses is logged: trying again would not change it, and the daily
 * look reports it until somebody has ended it.
 *
 * @throws the provider's error where it could not be asked; each later event of the user, and the daily look, try again
 */
export async function endBesideLifetime(
  deps: Pick<AppDeps, 'stripe' | 'log'> & SellerDeps,
  { subscriptions, owned }: BesideLifetime,
): Promise<void> {
  for (const subscription of subscriptions) {
    const ended = await endSubscription(await deps.stripe(), subscription, sellerOf(deps), owned);
    if (ended === 'refused') deps.log.error('subscription_not_ended', { subscription });
    else if (ended !== 'over') deps.log.info('subscription_ended', { subscription, how: ended });
  }
}
