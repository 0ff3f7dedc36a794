import type Stripe from 'stripe';
import { intervalName } from '../checkout/page.ts';
import type { HostedAnswer } from '../pages/page.ts';
import type { PortalInvoice, PortalPlan, PortalSubscription, PortalView } from '../pages/views.ts';
import { attachCard, cardOf, createCard, makeDefaultCard } from '../payments/attempt.ts';
import { cardDigits, isCardNumber, refusalOfSetup } from '../payments/cards.ts';
import { amountIn } from '../prices/currencies.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { cancelNow } from '../subscriptions/change.ts';
import { phaseAhead, releaseSchedule, scheduleOf } from '../subscriptions/schedules.ts';
import { currentPeriodEnd, keepSubscription, scheduleCancellation } from '../subscriptions/subscription.ts';
import { answerFlow } from './flow.ts';
import { renderPortal } from './html.ts';
import { type Features, pricesToSwitchTo, switchInPortal } from './switch.ts';

const STATUSES: readonly PortalSubscription['status'][] = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'incomplete',
  'incomplete_expired',
  'paused',
  'canceled',
];
const INVOICE_STATUSES: readonly PortalInvoice['status'][] = [
  'draft',
  'open',
  'paid',
  'uncollectible',
  'void',
];

function planView(world: World, price: Stripe.Price, currency: string): PortalPlan {
  return {
    id: price.id,
    planName: world.tables.products.get(idOf(price.product))?.name ?? 'Plan',
    amount: amountIn(world, price, currency),
    currency,
    interval: intervalName(price) ?? 'month',
  };
}

function plannedView(world: World, subscription: Stripe.Subscription): PortalSubscription['changesTo'] {
  const phase = phaseAhead(world, subscription);
  const [item] = phase?.items ?? [];
  if (phase === null || item === undefined) return undefined;
  const price = world.tables.prices.known(idOf(item.price as string));
  return { planName: planView(world, price, subscription.currency).planName, at: phase.start_date };
}

function subscriptionView(
  world: World,
  subscription: Stripe.Subscription,
  features: Features,
): PortalSubscription {
  const [item] = subscription.items.data;
  const product = world.tables.products.get(idOf(item?.price.product));
  return {
    id: subscription.id,
    planName: product?.name ?? 'Plan',
    amount:
      item === undefined ? 0 : amountIn(world, item.price, subscription.currency) * (item.quantity ?? 1),
    currency: subscription.currency,
    interval: intervalName(item?.price ?? null) ?? 'month',
    status: STATUSES.find((known) => known === subscription.status) ?? 'active',
    currentPeriodEnd: currentPeriodEnd(subscription),
    cancelAt: subscription.cancel_at,
    trialEnd: subscription.trial_end,
    changesTo: plannedView(world, subscription),
    switches: pricesToSwitchTo(world, features, subscription).map((price) =>
      planView(world, price, subscription.currency),
    ),
  };
}

/** An invoice's status as the pages know it. */
export function invoiceStatus({ status }: Stripe.Invoice): PortalInvoice['status'] {
  return INVOICE_STATUSES.find((known) => known === status) ?? 'draft';
}

function invoiceView(invoice: Stripe.Invoice): PortalInvoice {
  return {
    id: invoice.id,
    created: invoice.created,
    amount: invoice.total,
    currency: invoice.currency,
    status: invoiceStatus(invoice),
  };
}

function invoicesOf(world: World, customer: string): PortalInvoice[] {
  return world.tables.invoices
    .newestFirst()
    .filter((row) => row.customer === customer && row.status !== 'draft')
    .map(invoiceView);
}

function cancellationOf({ subscription_cancel: feature }: Features): PortalView['cancellation'] {
  if (!feature.enabled) return 'off';
  return feature.mode === 'immediately' ? 'immediately' : 'at_period_end';
}

/** What the portal shows of its session's customer, and offers by its configuration. */
function portalView(world: World, session: Stripe.BillingPortal.Session, features: Features): PortalView {
  const customer = world.tables.customers.known(session.customer);
  const own = world.tables.subscriptions.newestFirst().filter((row) => row.customer === customer.id);
  const live = own.filter((row) => row.ended_at === null);
  const card = cardOf(world, customer, idOf(live[0]?.default_payment_method ?? null));
  return {
    merchant: world.options.merchant,
    customerEmail: customer.email,
    returnUrl: session.return_url ?? '/',
    subscriptions: live.map((row) => subscriptionView(world, row, features)),
    cancellation: cancellationOf(features),
    paymentMethod: card?.card === undefined ? null : { brand: card.card.brand, last4: card.card.last4 },
    cardUpdate: features.payment_method_update.enabled,
    invoices: features.invoice_history.enabled ? invoicesOf(world, customer.id) : null,
  };
}

/** What came of a press of one of the portal's buttons. */
type Done = { notice: string } | { error: NonNullable<PortalView['error']> };

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
  const switched = switchInPortal(world, features, subscription, wanted);
  switch (switched.kind) {
    case 'refused':
      return refused(switched.code, switched.message);
    case 'planned':
      return { notice: 'Your plan will change when its period ends.' };
    case 'done':
      return { notice: 'Your plan was updated.' };
    default:
      return switched satisfies never;
  }
}

/** Takes a planned change back; what is left of a schedule gives way to what is done here. */
function keepPlan(world: World, subscription: Stripe.Subscription): Done {
  const schedule = scheduleOf(world, subscription);
  if (schedule !== null) releaseSchedule(world, schedule);
  return { notice: 'Your plan stays as it is.' };
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
function actInPortal(
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
  if (action === 'keep') return keepPlan(world, subscription);
  if (phaseAhead(world, subscription) !== null)
    return refused('subscription_scheduled', 'This plan is about to change: keep it first.');
  if (action !== 'uncancel') keepPlan(world, subscription);
  if (action === 'cancel') return cancelPlan(world, features, subscription);
  if (action === 'switch') return switchPlan(world, features, subscription, form.get('price'));
  if (action !== 'uncancel') return refused('unknown_action', 'The portal cannot do this.');
  keepSubscription(world, subscription);
  return { notice: 'Your plan goes on.' };
}

/** The portal of a customer: shows it (`form` null), or does what one of its forms asks. */
export function answerPortal(
  world: World,
  sessionId: string,
  form: URLSearchParams | null,
  notice: string | null,
): HostedAnswer {
  const session = world.tables.portal_sessions.inPath(sessionId, 'session');
  const { features } = world.tables.portal_configurations.known(idOf(session.configuration));
  if (session.flow !== null) return answerFlow(world, session, session.flow, features, form);
  const view = () => portalView(world, session, features);
  if (form === null) return { status: 200, html: renderPortal({ ...view(), notice: notice ?? undefined }) };
  const done = actInPortal(world, session, features, form);
  if ('error' in done) return { status: 402, html: renderPortal({ ...view(), error: done.error }) };
  return { location: `/p/session/${session.id}?notice=${encodeURIComponent(done.notice)}` };
}
