import type { Stripe } from 'stripe';
import { handleEvent } from '../http/handle-event.ts';
import { listUndelivered } from '../provider/list-undelivered.ts';
import { translateEvent } from '../provider/translate-event.ts';
import { findProcessed } from '../store/find-processed.ts';
import type { CheckDeps } from './check-user.ts';

export interface Replayed {
  /** Events about someone's purchases that the provider could not deliver and that have not come since. */
  readonly found: readonly Pick<Stripe.Event, 'id' | 'type' | 'created'>[];
  readonly applied: number;
  /** Ids of events that could not be applied now either. */
  readonly failed: readonly string[];
}

/**
 * What the provider tried to deliver in the last 30 days and could not, through the webhook's own path: an event
 * that came after all is a duplicate. Oldest first. With `apply` false it only lists.
 */
export async function replayUndelivered(deps: CheckDeps, apply: boolean): Promise<Replayed> {
  const undelivered = await listUndelivered(await deps.stripe());
  const telling = undelivered.filter(isTelling);
  // The provider lists an event for 30 days, also after it was replayed or another endpoint missed it.
  const processed = await findProcessed(
    deps.firestore,
    telling.map(({ id }) => id),
  );
  const events = telling.filter(({ id }) => !processed.has(id));
  const failed: string[] = [];
  let applied = 0;
  if (apply) {
    for (const event of events) {
      try {
        if ((await handleEvent(deps, event)).outcome === 'applied') applied += 1;
      } catch (error) {
        failed.push(event.id);
        deps.log.warn('replay_failed', { eventId: event.id, type: event.type, reason: nameOf(error) });
      }
    }
  }
  return { found: events.map(({ id, type, created }) => ({ id, type, created })), applied, failed };
}

function isTelling(delivered: Stripe.Event): boolean {
  const translated = translateEvent(delivered);
  if (translated.kind === 'ignored') return false;
  // Most refunds that name no product are of a subscription's charges, and those leave no marker.
  const { fact } = translated.event;
  return fact.kind !== 'charge_refunded' || fact.product !== null;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
