import type Stripe from 'stripe';
import { cardDigits, isCardNumber, refusalOfSetup } from '../engine/cards.ts';
import { attachCard, createCard, makeDefaultCard } from '../engine/payments.ts';
import { currentPeriodEnd, keepSubscription, scheduleCancellation } from '../engine/subscription-cancel.ts';
import { cancelNow } from '../engine/subscription-cancel-now.ts';
import { changeSubscription } from '../engine/subscription-change.ts';
import { StripeApiError } from '../http/errors.ts';
import type { PortalView } from '../pages/views.ts';
import type { World } from '../state/world.ts';
import { pricesToSwitchTo } from './portal-view.ts';

type Features = Stripe.BillingPortal.Configuration.Features;

/** What came of a press of one of the portal's buttons. */
export type Done = { notice: string } | { error: NonNullable<PortalView['error']> };

const refused = (code: string, message: string): Done => ({ error: { code, message } });

function cancelPlan(world: World, features: Features, subscription: Stripe.Subscription): Done {
  const { enabled, mode, proration_behavior: behaviour } = features.subscription_cancel;
  if (!enabled) return refused('feature_disabled', 'Plans cannot be cancelled here.');
  if (mode === 'immediately') {
    cancelNow(world, subscription, {
      prorates: behaviour !== 'none',
      invoices: behaviour === 'always_invoice',
    });
    return { notice: 'Your plan has been cancelled.' };
  }
  const flexible = subscription.billing_mode.type === 'flexible';
  scheduleCancellation(world, subscription, {
    at: currentPeriodEnd(subscription),
    byPeriodEndSwitch: !flexible,
  });
  return { notice: 'Your plan has been cancelled. It stays yours until its period ends.' };
}

/** A switch in the portal is not made when its bill cannot be paid. */
function switchPlan(
  world: World,
  features: Features,
  subscription: Stripe.Subscription,
  wanted: string | null,
): Done {
  const { proration_behavior, billing_cycle_anchor, trial_update_behavior } = features.subscription_update;
  const price = pricesToSwitchTo(world, features, subscription).find((row) => row.id === wanted);
  const [item] = subscription.items.data;
  if (price === undefined || item === undefined)
    return refused('feature_disabled', 'This plan cannot be chosen here.');
  const endsTrial = subscription.status === 'trialing' && trial_update_behavior === 'end_trial';
  try {
    const change: Stripe.SubscriptionUpdateParams = {
      items: [{ id: item.id, price: price.id }],
      proration_behavior,
      payment_behavior: 'error_if_incomplete',
      ...(billing_cycle_anchor === 'now' && { billing_cycle_anchor: { type: 'now' } }),
      ...(endsTrial && { trial_end: 'now' }),
    };
    // The portal lets the bank ask on its own page; here the customer has always confirmed.
    changeSubscription(world, subscription, change, 'confirmed');
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return refused(error.body.code ?? 'switch_refused', error.message);
  }
  return { notice: 'Your plan was updated.' };
}

function updateCard(world: World, features: Features, customerId: string, typed: string): Done {
  if (!features.payment_method_update.enabled)
    return refused('feature_disabled', 'Cards cannot be changed here.');
  const customer = world.tables.customers.known(customerId);
  const number = cardDigits(typed);
  if (!isCardNumber(number))
    return {
      error: { field: 'number', code: 'incorrect_number', message: 'Your card number is incorrect.' },
    };
  const refusal = refusalOfSetup(number);
  if (refusal !== null) return { error: { field: 'number', code: refusal.code, message: refusal.message } };
  const given = { number, email: customer.email, name: customer.name ?? null };
  const card = createCard(world, given, world.nowFor(customer.id));
  attachCard(world, card, customer);
  makeDefaultCard(world, card, customer);
  return { notice: 'Your card was updated.' };
}

/** Does what a form of the portal asks, as far as the session's configuration allows it. */
export function actInPortal(
  world: World,
  session: Stripe.BillingPortal.Session,
  features: Features,
  form: URLSearchParams,
): Done {
  const action = form.get('action');
  if (action === 'update_card')
    return updateCard(world, features, session.customer, form.get('number') ?? '');
  const subscription = world.tables.subscriptions.get(form.get('subscription'));
  const isTheirs = subscription?.customer === session.customer && subscription.ended_at === null;
  if (subscription === undefined || !isTheirs)
    return refused('resource_missing', 'This plan has ended already.');
  if (action === 'cancel') return cancelPlan(world, features, subscription);
  if (action === 'switch') return switchPlan(world, features, subscription, form.get('price'));
  if (action !== 'uncancel') return refused('unknown_action', 'The portal cannot do this.');
  keepSubscription(world, subscription);
  return { notice: 'Your plan goes on.' };
}
