import type Stripe from 'stripe';
import type { ClockScope } from '../state/clock.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { expireSession } from './checkout-expire.ts';
import { collectAndFollowUp } from './dunning.ts';
import { finalizeInvoice } from './invoices.ts';
import { failRefund, REFUND_FAILS_AFTER } from './refunds.ts';
import { currentPeriodEnd } from './subscription-cancel.ts';
import { renewSubscription } from './subscription-renew.ts';
import { endSubscription } from './subscription-status.ts';

/** Something that happens by itself at a time. */
interface Due {
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

function customerOfRefund(world: World, refund: Stripe.Refund): Stripe.Charge['customer'] {
  return world.tables.charges.known(idOf(refund.charge)).customer;
}

function dueOfRefund(world: World, refund: Stripe.Refund): Due | null {
  if (!world.facts.failingRefunds.has(refund.id)) return null;
  return { at: refund.created + REFUND_FAILS_AFTER, run: () => failRefund(world, refund) };
}

function dueOfSession(world: World, session: Stripe.Checkout.Session): Due | null {
  return session.status === 'open'
    ? { at: session.expires_at, run: () => expireSession(world, session) }
    : null;
}

function dueOfInvoice(world: World, invoice: Stripe.Invoice): Due | null {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
    return {
      at: invoice.automatically_finalizes_at,
      run: () => {
        finalizeInvoice(world, invoice);
        collectAndFollowUp(world, invoice, { presence: 'away' });
      },
    };
  if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
    return {
      at: invoice.next_payment_attempt,
      run: () => {
        collectAndFollowUp(world, invoice, { presence: 'away' });
      },
    };
  return null;
}

/** Something that may have a next thing to do; null when it has none, now or (ended) for good. */
export interface Actor {
  due: () => Due | null;
}

/** Everything on a clock that may have something ahead of it; at equal times the first comes first. */
export function actorsOn(world: World, scope: ClockScope): Actor[] {
  const onClock = (customer: Stripe.Invoice['customer']): boolean => world.scopeOf(idOf(customer)) === scope;
  const invoices = world.tables.invoices.filter(
    (row) => (row.status === 'draft' || row.status === 'open') && onClock(row.customer),
  );
  const subscriptions = world.tables.subscriptions.filter(
    (row) => row.ended_at === null && onClock(row.customer),
  );
  const sessions = world.tables.checkout_sessions.filter(
    (row) => row.status === 'open' && onClock(row.customer),
  );
  const refunds = [...world.facts.failingRefunds].map((id) => world.tables.refunds.known(id));
  const failing = refunds.filter((row) => onClock(customerOfRefund(world, row)));
  return [
    ...failing.map((row) => ({ due: () => dueOfRefund(world, row) })),
    ...invoices.map((row) => ({ due: () => dueOfInvoice(world, row) })),
    ...subscriptions.map((row) => ({ due: () => dueOfSubscription(world, row) })),
    ...sessions.map((row) => ({ due: () => dueOfSession(world, row) })),
  ];
}

/** An invoice that was made while others were being settled. */
export function actorOfInvoice(world: World, invoice: Stripe.Invoice): Actor {
  return { due: () => dueOfInvoice(world, invoice) };
}
