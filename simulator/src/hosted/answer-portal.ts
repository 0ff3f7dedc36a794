import type Stripe from 'stripe';
import { cardDigits, isCardNumber, refusalOfSetup } from '../engine/cards.ts';
import { attachCard, createCard, makeDefaultCard } from '../engine/payments.ts';
import { currentPeriodEnd, keepSubscription, scheduleCancellation } from '../engine/subscription-cancel.ts';
import { endSubscription } from '../engine/subscription-status.ts';
import { renderPortal } from '../pages/portal.ts';
import type { PortalView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import type { HostedAnswer } from './html-response.ts';
import { portalView } from './portal-view.ts';

type Done = { notice: string } | { error: PortalView['error'] };

function cancelPlan(
  world: World,
  session: Stripe.BillingPortal.Session,
  subscription: Stripe.Subscription,
): Done {
  const configuration = world.tables.portal_configurations.get(idOf(session.configuration));
  const feature = configuration?.features.subscription_cancel;
  if (feature?.enabled === false)
    return { error: { code: 'feature_disabled', message: 'Plans cannot be cancelled here.' } };
  if (feature?.mode === 'immediately') {
    endSubscription(world, subscription, 'cancellation_requested');
    return { notice: 'Your plan has been cancelled.' };
  }
  const flexible = subscription.billing_mode.type === 'flexible';
  scheduleCancellation(world, subscription, {
    at: currentPeriodEnd(subscription),
    byPeriodEndSwitch: !flexible,
  });
  return { notice: 'Your plan has been cancelled. It stays yours until its period ends.' };
}

function updateCard(world: World, session: Stripe.BillingPortal.Session, typed: string): Done {
  const customer = world.tables.customers.known(session.customer);
  const number = cardDigits(typed);
  if (!isCardNumber(number))
    return {
      error: { field: 'number', code: 'incorrect_number', message: 'Your card number is incorrect.' },
    };
  const refusal = refusalOfSetup(number);
  if (refusal !== null) return { error: { field: 'number', code: refusal.code, message: refusal.message } };
  const card = createCard(
    world,
    { number, email: customer.email, name: customer.name ?? null },
    world.nowFor(customer.id),
  );
  attachCard(world, card, customer);
  makeDefaultCard(world, card, customer);
  return { notice: 'Your card was updated.' };
}

function act(world: World, session: Stripe.BillingPortal.Session, form: URLSearchParams): Done {
  const action = form.get('action');
  if (action === 'update_card') return updateCard(world, session, form.get('number') ?? '');
  const subscription = world.tables.subscriptions.get(form.get('subscription'));
  if (
    subscription === undefined ||
    subscription.customer !== session.customer ||
    subscription.ended_at !== null
  )
    return { error: { code: 'resource_missing', message: 'This plan has ended already.' } };
  if (action === 'cancel') return cancelPlan(world, session, subscription);
  if (action === 'uncancel') {
    keepSubscription(world, subscription);
    return { notice: 'Your plan goes on.' };
  }
  return { error: { code: 'unknown_action', message: 'The portal cannot do this.' } };
}

/** The portal of a customer: shows it (`form` null), or does what one of its forms asks. */
export function answerPortal(
  world: World,
  sessionId: string,
  form: URLSearchParams | null,
  notice: string | null,
): HostedAnswer {
  const session = world.tables.portal_sessions.inPath(sessionId, 'session');
  if (form === null)
    return {
      status: 200,
      html: renderPortal({ ...portalView(world, session), notice: notice ?? undefined }),
    };
  const done = act(world, session, form);
  if ('error' in done)
    return { status: 402, html: renderPortal({ ...portalView(world, session), error: done.error }) };
  return { location: `/p/session/${session.id}?notice=${encodeURIComponent(done.notice)}` };
}
