import type Stripe from 'stripe';
import { cardOf } from '../engine/payments.ts';
import { currentPeriodEnd } from '../engine/subscription-cancel.ts';
import type { PortalInvoice, PortalSubscription, PortalView } from '../pages/views.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalName, MERCHANT } from './checkout-view.ts';

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

function subscriptionView(world: World, subscription: Stripe.Subscription): PortalSubscription {
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
  };
}

function invoiceView(invoice: Stripe.Invoice): PortalInvoice {
  return {
    id: invoice.id,
    created: invoice.created,
    amount: invoice.total,
    currency: invoice.currency,
    status: INVOICE_STATUSES.find((known) => known === invoice.status) ?? 'draft',
  };
}

/** What the portal shows of its session's customer. */
export function portalView(world: World, session: Stripe.BillingPortal.Session): PortalView {
  const customer = world.tables.customers.known(session.customer);
  const own = world.tables.subscriptions.newestFirst().filter((row) => row.customer === customer.id);
  const live = own.filter((row) => row.ended_at === null);
  const card = cardOf(world, customer, idOf(live[0]?.default_payment_method ?? null));
  return {
    merchant: MERCHANT,
    customerEmail: customer.email,
    returnUrl: session.return_url ?? '/',
    subscriptions: live.map((row) => subscriptionView(world, row)),
    paymentMethod: card?.card === undefined ? null : { brand: card.card.brand, last4: card.card.last4 },
    invoices: world.tables.invoices
      .newestFirst()
      .filter((row) => row.customer === customer.id && row.status !== 'draft')
      .map(invoiceView),
  };
}
