import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import { handleDelivery } from '../events/webhook.ts';
import { parseUid, paths, type Uid } from '../store/documents.ts';
import { type EventRange, listEvents } from '../stripe/pages.ts';
import { sellerOf } from '../stripe/seal.ts';
import type { Delivery } from '../stripe/translate.ts';
import type { Look } from './look.ts';
import type { PassPage, PassState } from './pass.ts';

/** A younger event may be on its way still. */
const ON_ITS_WAY: Millis = 30 * 60 * 1000;
/** The provider lists no older ones. */
const LISTED: Millis = 30 * 24 * 60 * 60 * 1000;

/**
 * Events that left no marker here, a page at a time: each goes through the webhook's own path, and its user is looked
 * at. One that came after all is a duplicate; facts merge in any order. Without `apply` they are only counted.
 */
export async function byEvent(look: Look, pass: PassState): Promise<PassPage> {
  const { deps, options, tally } = look;
  const { rows, next } = await listEvents(
    await deps.stripe(),
    sellerOf(deps),
    rangeOf(pass, options.undeliveredOnly),
    pass.cursor,
  );
  const relevant = rows.filter(isRelevant);
  // The provider lists an event also after it was replayed, or where another endpoint missed it.
  const processed = await findProcessed(
    deps.firestore,
    relevant.map(({ id }) => id),
  );
  const missing = relevant.filter(({ id }) => !processed.has(id));
  const users = new Set<Uid>();
  await look.inParallel(missing, async (delivery) => {
    const named = delivery.kind === 'event' ? delivery.owner.uid : null;
    if (!options.apply) {
      tally.undelivered.found += 1;
      if (named !== null) users.add(named);
      return;
    }
    try {
      const handled = await handleDelivery(deps, delivery);
      if (handled.outcome !== 'applied') return;
      tally.undelivered.found += 1;
      tally.undelivered.applied += 1;
      for (const uid of handled.uids.map(parseUid)) if (uid !== null) users.add(uid);
    } catch (error) {
      tally.undelivered.found += 1;
      tally.undelivered.failed += 1;
      if (named !== null) users.add(named);
      deps.log.warn('replay_failed', { eventId: delivery.id, type: delivery.type, reason: nameOf(error) });
    }
  });
  return (await look.at(users)) === 'away' ? 'away' : { next, done: rows.length };
}

/** A pass goes back to what failed (comparison.ts), until the provider forgets it. */
function rangeOf({ begunAt, since }: PassState, undelivered: boolean): EventRange {
  const from = Math.max(since - ON_ITS_WAY, begunAt - LISTED);
  return undelivered ? { from, to: null, undelivered } : { from, to: begunAt - ON_ITS_WAY, undelivered };
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

/** Which of these events have been applied already, by their markers. */
async function findProcessed(firestore: Firestore, events: readonly string[]): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const markers = await firestore.getAll(...events.map((id) => paths.marker(firestore, id)));
  return new Set(markers.filter(({ exists }) => exists).map(({ id }) => id));
}
