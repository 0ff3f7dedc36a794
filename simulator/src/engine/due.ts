import type Stripe from 'stripe';
import type { ClockScope } from '../state/clock.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { expireSession } from './checkout-expire.ts';
import { collectAndFollowUp } from './dunning.ts';
import { finalizeInvoice } from './invoices.ts';
import { currentPeriodEnd } from './subscription-cancel.ts';
import { renewSubscription } from './subscription-renew.ts';
import { endSubscription } from './subscription-status.ts';

/** Something that happens by itself at a time. */
export interface Due {
  at: number;
  run: () => void;
}

const DAY = 86_400;
/** A first invoice that is never paid ends its subscription after 23 hours. */
const INCOMPLETE_SECONDS = 23 * 3600;

function dueOfSubscription(world: World, subscription: Stripe.Subscription): Due | null {
  if (subscription.ended_at !== null || subscription.status === 'paused') return null;
  if (subscription.status === 'incomplete')
    return {
      at: subscription.created + INCOMPLETE_SECONDS,
      run: () => endSubscription(world, subscription, 'payment_failed', 'incomplete_expired'),
    };
  const end = currentPeriodEnd(subscription);
  const cancelAt = subscription.cancel_at;
  if (cancelAt !== null && cancelAt <= end)
    return { at: cancelAt, run: () => endSubscription(world, subscription, 'cancellation_requested') };
  if (subscription.status === 'trialing' && !world.facts.trialEndAnnounced.has(subscription.id))
    return {
      at: Math.max(subscription.created, end - 3 * DAY),
      run: () => {
        world.facts.trialEndAnnounced.add(subscription.id);
        world.emit(
          'customer.subscription.trial_will_end',
          subscription,
          world.scopeOf(idOf(subscription.customer)),
        );
      },
    };
  return { at: end, run: () => renewSubscription(world, subscription) };
}

function dueOfInvoice(world: World, invoice: Stripe.Invoice): Due | null {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
    return {
      at: invoice.automatically_finalizes_at,
      run: () => {
        finalizeInvoice(world, invoice);
        collectAndFollowUp(world, invoice);
      },
    };
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
    return {
      at: invoice.next_payment_attempt,
      run: () => {
        collectAndFollowUp(world, invoice);
      },
    };
  return null;
}

/** What a clock's objects have ahead of them, in the order in which it is made when times are equal. */
export function dueOn(world: World, scope: ClockScope): Due[] {
  const due: (Due | null)[] = [];
  for (const invoice of world.tables.invoices.all()) {
    if (invoice.status !== 'draft' && invoice.status !== 'open') continue;
    if (world.scopeOf(idOf(invoice.customer)) === scope) due.push(dueOfInvoice(world, invoice));
  }
  for (const subscription of world.tables.subscriptions.all()) {
    if (world.scopeOf(idOf(subscription.customer)) === scope)
      due.push(dueOfSubscription(world, subscription));
  }
  for (const session of world.tables.checkout_sessions.all()) {
    if (session.status !== 'open' || world.scopeOf(idOf(session.customer)) !== scope) continue;
    due.push({ at: session.expires_at, run: () => expireSession(world, session) });
  }
  return due.filter((entry) => entry !== null);
}
