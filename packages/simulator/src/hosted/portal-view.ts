import type Stripe from 'stripe';
import { cardOf } from '../engine/payments.ts';
import { currentPeriodEnd } from '../engine/subscription-cancel.ts';
import type { PortalInvoice, PortalPlan, PortalSubscription, PortalView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalName, MERCHANT } from './checkout-view.ts';

type Features = Stripe.BillingPortal.Configuration.Features;

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

/** The prices that the portal's configuration lets a subscription be switched to. */
export function pricesToSwitchTo(
  world: World,
  features: Features,
  subscription: Stripe.Subscription,
): Stripe.Price[] {
  const { enabled, products, default_allowed_updates: allowed } = features.subscription_update;
  if (!enabled || !allowed.includes('price')) return [];
  const current = subscription.items.data[0]?.price.id;
  return (products ?? [])
    .flatMap((product) => product.prices)
    .filter((id) => id !== current)
    .map((id) => world.tables.prices.known(id))
    .filter((price) => price.active && price.currency === subscription.currency);
}

function planView(world: World, price: Stripe.Price): PortalPlan {
  return {
    id: price.id,
    planName: world.tables.products.get(idOf(price.product))?.name ?? 'Plan',
    amount: price.unit_amount ?? 0,
    currency: price.currency,
    interval: intervalName(price) ?? 'month',
  };
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
    amount: (item?.price.unit_amount ?? 0) * (item?.quantity ?? 1),
    currency: subscription.currency,
    interval: intervalName(item?.price ?? null) ?? 'month',
    status: STATUSES.find((known) => known === subscription.status) ?? 'active',
    currentPeriodEnd: currentPeriodEnd(subscription),
    cancelAt: subscription.cancel_at,
    trialEnd: subscription.trial_end,
    switches: pricesToSwitchTo(world, features, subscription).map((price) => planView(world, price)),
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
export function portalView(
  world: World,
  session: Stripe.BillingPortal.Session,
  features: Features,
): PortalView {
  const customer = world.tables.customers.known(session.customer);
  const own = world.tables.subscriptions.newestFirst().filter((row) => row.customer === customer.id);
  const live = own.filter((row) => row.ended_at === null);
  const card = cardOf(world, customer, idOf(live[0]?.default_payment_method ?? null));
  return {
    merchant: MERCHANT,
    customerEmail: customer.email,
    returnUrl: session.return_url ?? '/',
    subscriptions: live.map((row) => subscriptionView(world, row, features)),
    cancellation: cancellationOf(features),
    paymentMethod: card?.card === undefined ? null : { brand: card.card.brand, last4: card.card.last4 },
    cardUpdate: features.payment_method_update.enabled,
    invoices: features.invoice_history.enabled ? invoicesOf(world, customer.id) : null,
  };
}
