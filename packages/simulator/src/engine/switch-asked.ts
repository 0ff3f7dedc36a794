import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalOf } from './periods.ts';

/** What a change of a subscription's plan is asked for with; an update and a preview name it alike. */
export interface SwitchParams {
  items?: {
    id?: string;
    price?: string;
    quantity?: number;
    deleted?: boolean;
    plan?: string;
    price_data?: unknown;
  }[];
  proration_behavior?: string;
  proration_date?: number;
  /** A map since 2026-10-28.endive, before that the word itself. */
  billing_cycle_anchor?: string | { type: string; timestamp?: number };
  trial_end?: 'now' | number;
}

/** The change itself, with the simulator's limits and Stripe's rules checked. */
export interface SwitchAsked {
  item: Stripe.SubscriptionItem;
  price: Stripe.Price;
  quantity: number;
  behaviour: 'create_prorations' | 'always_invoice' | 'none';
  /** The moment that prorations count from. */
  at: number;
  now: number;
  anchor: 'now' | 'unchanged' | null;
  trial: { ends: 'now' } | { ends: number } | null;
  /**
   * `trial_end=now` came for a subscription that has no trial to end. It changes nothing by itself; a switch to
   * another interval keeps its billing cycle where it is (recorded: pay-rails/pay, `stripe_can_swap_a_subscription`).
   */
  endsNoTrial: boolean;
}

const BEHAVIOURS = ['create_prorations', 'always_invoice', 'none'] as const;

function priceAsked(
  world: World,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  given: NonNullable<SwitchParams['items']>[number],
): Stripe.Price {
  if (given.plan !== undefined || given.price_data !== undefined)
    throw invalidRequest('The simulator switches to prices by id: `items[0][price]`.', 'items[0]');
  if (given.price === undefined) return item.price;
  const param = 'items[0][price]';
  const price = world.tables.prices.named(given.price, param);
  if (!price.active && price.id !== item.price.id)
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', param);
  if (intervalOf(price.recurring) === null)
    throw invalidRequest(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      param,
    );
  if (price.currency !== subscription.currency)
    throw invalidRequest(
      `The price specified only supports \`${price.currency}\`. This doesn't match the expected currency: \`${subscription.currency}\`.`,
      param,
    );
  return price;
}

/** The subscription's one item, and what the request wants of it. */
function itemAsked(subscription: Stripe.Subscription, params: SwitchParams) {
  const [item] = subscription.items.data;
  if (item === undefined) throw new Error(`${subscription.id} has no items`);
  const [given = {}, ...more] = params.items ?? [];
  const addsOne = given.id === undefined && given.price !== undefined;
  if (more.length > 0 || addsOne || given.deleted === true)
    throw invalidRequest(
      'The simulator has subscriptions with one item: name it by `items[0][id]`.',
      'items',
    );
  if (given.id !== undefined && given.id !== item.id)
    throw invalidRequest(`No such subscription item: '${given.id}'`, 'items[0][id]', 'resource_missing');
  return { item, given };
}

function momentOf(params: SwitchParams, item: Stripe.SubscriptionItem, now: number): number {
  const at = params.proration_date ?? now;
  if (at < item.current_period_start || at > item.current_period_end)
    throw invalidRequest(
      'The `proration_date` must be within the current billing period of the subscription.',
      'proration_date',
    );
  return at;
}

function trialAsked(params: SwitchParams, now: number): SwitchAsked['trial'] {
  if (params.trial_end === undefined) return null;
  if (params.trial_end !== 'now' && params.trial_end <= now)
    throw invalidRequest('Invalid timestamp: must be an integer Unix timestamp in the future.', 'trial_end');
  return { ends: params.trial_end };
}

/** Reads a change of plan, period or trial out of a request; null when it asks for none. */
export function switchAsked(
  world: World,
  subscription: Stripe.Subscription,
  params: SwitchParams,
): SwitchAsked | null {
  const { item, given } = itemAsked(subscription, params);
  const now = world.nowFor(idOf(subscription.customer));
  const { billing_cycle_anchor: named } = params;
  const anchor = typeof named === 'object' ? named.type : named;
  if (anchor !== undefined && anchor !== 'now' && anchor !== 'unchanged')
    throw invalidRequest(
      'Invalid billing_cycle_anchor[type]: must be one of now or unchanged',
      'billing_cycle_anchor[type]',
    );
  const trial = trialAsked(params, now);
  const endsNoTrial = trial?.ends === 'now' && subscription.status !== 'trialing';
  const asked: SwitchAsked = {
    item,
    price: priceAsked(world, subscription, item, given),
    quantity: given.quantity ?? item.quantity ?? 1,
    behaviour: BEHAVIOURS.find((known) => known === params.proration_behavior) ?? 'create_prorations',
    at: momentOf(params, item, now),
    now,
    anchor: anchor ?? null,
    trial: endsNoTrial ? null : trial,
    endsNoTrial,
  };
  const isSame = asked.price.id === item.price.id && asked.quantity === (item.quantity ?? 1);
  return isSame && asked.anchor !== 'now' && asked.trial === null ? null : asked;
}
