import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import { handleDelivery } from '../events/webhook.ts';
import { paths } from '../store/documents.ts';
import { sellerOf } from '../stripe/fields.ts';
import type { Delivery } from '../stripe/translate.ts';
import { listUndelivered } from '../stripe/view.ts';
import type { CheckDeps } from './user.ts';

export interface Replayed {
  /** Events about someone's purchases that the provider could not deliver and that have not come since. */
  readonly found: number;
  readonly applied: number;
  /** Of those found, the ones that could not be applied now either; the log names each. */
  readonly failed: number;
  /** False: the time ran out before every event was looked at. */
  readonly finished: boolean;
}

/**
 * What the provider tried to deliver in the last 30 days and could not, through the webhook's own path: an event
 * that came after all is a duplicate. A page of events at a time, in whatever order: facts merge in any. With `apply`
 * false it only counts.
 *
 * @param until no event is begun from then on: after an outage there may be more than a day has time for
 */
export async function replayUndelivered(
  deps: CheckDeps,
  apply: boolean,
  until: Millis = Number.POSITIVE_INFINITY,
): Promise<Replayed> {
  const sum = { found: 0, applied: 0, failed: 0, finished: true };
  for await (const page of listUndelivered(await deps.stripe(), sellerOf(deps))) {
    const relevant = page.filter(isRelevant);
    // The provider lists an event for 30 days, also after it was replayed or another endpoint missed it.
    const processed = await findProcessed(
      deps.firestore,
      relevant.map(({ id }) => id),
    );
    for (const delivery of relevant) {
      if (processed.has(delivery.id)) continue;
      if (deps.now() >= until) return { ...sum, finished: false };
      sum.found += 1;
      if (!apply) continue;
      try {
        if ((await handleDelivery(deps, delivery)).outcome === 'applied') sum.applied += 1;
      } catch (error) {
        sum.failed += 1;
        const { id, type } = delivery;
        deps.log.warn('replay_failed', { eventId: id, type, reason: nameOf(error) });
      }
    }
  }
  return sum;
}

/** Most refunds that name no product are of a subscription's charges, and those leave no marker. */
function isRelevant(delivery: Delivery): boolean {
  if (delivery.kind === 'ignored') return false;
  const { fact } = delivery.event;
  return fact.kind !== 'charge_refunded' || fact.product !== null;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

const AT_ONCE = 200;

/** Which of these events have been applied already, by their markers. */
async function findProcessed(firestore: Firestore, events: readonly string[]): Promise<ReadonlySet<string>> {
  const processed = new Set<string>();
  for (let start = 0; start < events.length; start += AT_ONCE) {
    const ids = events.slice(start, start + AT_ONCE);
    const markers = await firestore.getAll(...ids.map((id) => paths.marker(firestore, id)));
    for (const marker of markers) if (marker.exists) processed.add(marker.id);
  }
  return processed;
}
