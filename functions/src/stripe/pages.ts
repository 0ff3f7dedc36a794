import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { parseUid, type Uid } from '../store/documents.ts';
import { isMissing } from './client.ts';
import type { SubscriptionState } from './facts.ts';
import { idOf } from './fields.ts';
import { isChanged } from './kept-sale.ts';
import { isOfOtherProject, type Seller } from './sale.ts';
import { readSubscription } from './subscriptions.ts';
import { type Delivery, EVENT_TYPES, translateEvent } from './translate.ts';

// What the provider lists of all users at once, a page a call. A page's cursor is a text that a later process goes on with.

/** The provider's largest page. */
export const PAGE = 100;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null after the last page. */
  readonly next: string | null;
}

const TYPES_AT_ONCE = 20;
/** Our types of events, as many at once as the provider lists (https://docs.stripe.com/api/events/list). */
export const LISTED_TYPES: readonly (readonly string[])[] = Array.from(
  { length: Math.ceil(EVENT_TYPES.length / TYPES_AT_ONCE) },
  (_, group) => EVENT_TYPES.slice(group * TYPES_AT_ONCE, (group + 1) * TYPES_AT_ONCE),
);

export interface EventRange {
  /** The provider keeps 30 days. */
  readonly from: Millis;
  /** Null: to the newest. */
  readonly to: Millis | null;
  /**
   * Only what at least one endpoint never took. The provider does not say which endpoint: where several are registered,
   * some may have reached this service all the same.
   */
  readonly undelivered: boolean;
}

/**
 * Events of our types, the newest first. New ones do not move the pages where the range has an end.
 *
 * @param cursor of the page before; null for the first one
 * @throws the SDK's error when the provider cannot be asked
 */
export async function listEvents(
  stripe: Stripe,
  seller: Seller,
  { from, to, undelivered }: EventRange,
  cursor: string | null,
): Promise<Page<Delivery>> {
  const [group = 0, after = ''] = cursor === null ? [] : readCursor(cursor);
  const page = await list(after, (starting_after) =>
    stripe.events.list({
      created: { gte: Math.floor(from / 1000), ...(to !== null && { lt: Math.floor(to / 1000) }) },
      ...(undelivered && { delivery_success: false }),
      types: [...(LISTED_TYPES[group] ?? [])],
      limit: PAGE,
      ...starting_after,
    }),
  );
  const rows = page.data.map((event) => translateEvent(event, seller));
  const last = page.data.at(-1)?.id;
  if (page.has_more && last !== undefined) return { rows, next: `${group} ${last}` };
  return { rows, next: group + 1 < LISTED_TYPES.length ? `${group + 1} ` : null };
}

function readCursor(cursor: string): readonly [number, string] {
  const [group = '', after = ''] = cursor.split(' ');
  return [Number(group), after];
}

/** A subscription as a list of all shows it. */
export interface ListedSubscription {
  readonly id: string;
  /** Whom it names; null for nobody, and then its customer says whose it is. */
  readonly uid: Uid | null;
  readonly customer: string | null;
  readonly state: SubscriptionState;
  /** What was sold with the price that it runs at is to be kept (kept-sale.ts). */
  readonly isChanged?: boolean;
  /** It may change to another plan; to which one, the list does not say. */
  readonly hasSchedule: boolean;
}

/**
 * Every subscription that is not over, of this project or of none.
 *
 * @param cursor of the page before; null for the first one
 * @throws the SDK's error when the provider cannot be asked
 */
export async function listSubscriptions(
  stripe: Stripe,
  seller: Seller,
  cursor: string | null,
): Promise<Page<ListedSubscription>> {
  const page = await list(cursor ?? '', (starting_after) =>
    stripe.subscriptions.list({ limit: PAGE, ...starting_after }),
  );
  const rows = page.data
    .filter((subscription) => !isOfOtherProject(subscription, seller))
    .map((subscription) => ({ subscription, ...readSubscription(subscription, seller) }))
    .map(({ subscription, uid, state }) => ({
      id: subscription.id,
      uid: parseUid(uid),
      customer: idOf(subscription.customer),
      state,
      isChanged: isChanged(subscription, seller),
      hasSchedule: (subscription.schedule ?? null) !== null,
    }));
  return { rows, next: page.has_more ? (page.data.at(-1)?.id ?? null) : null };
}

type After = { readonly starting_after?: string };

/** A page after an object; the first one where that object is gone meanwhile, so that a job never stands still. */
async function list<Row>(
  after: string,
  ask: (after: After) => Promise<Stripe.ApiList<Row>>,
): Promise<Stripe.ApiList<Row>> {
  if (after === '') return ask({});
  try {
    return await ask({ starting_after: after });
  } catch (error) {
    if (!isMissing(error)) throw error;
    return ask({});
  }
}
