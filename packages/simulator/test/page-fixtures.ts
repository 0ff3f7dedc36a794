import type { CheckoutView, PortalInvoice, PortalSubscription, PortalView } from '../src/pages/views.ts';

/** 2026-11-28 at noon UTC, so that its day is the same in nearly every time zone. */
export const TRIAL_END = Date.UTC(2026, 10, 28, 12) / 1000;
const PERIOD_END = Date.UTC(2026, 11, 28, 12) / 1000;

/** A monthly subscription with a week of trial, as the session is first opened. */
export function trialCheckout(change: Partial<CheckoutView> = {}): CheckoutView {
  return {
    sessionId: 'cs_test_trial',
    mode: 'subscription',
    merchant: 'Extension Billing',
    currency: 'usd',
    lineItems: [
      {
        name: 'Premium monthly',
        description: 'All features, billed monthly',
        amount: 900,
        currency: 'usd',
        interval: 'month',
      },
    ],
    trialDays: 7,
    trialEndsAt: TRIAL_END,
    amountDueToday: 0,
    amountAfterTrial: 900,
    customerEmail: null,
    cancelUrl: 'http://127.0.0.1:5056/cancel',
    successUrl: 'http://127.0.0.1:5056/success',
    allowPromotionCodes: false,
    automaticTax: false,
    state: 'open',
    ...change,
  };
}

/** A pack of credits, paid once. */
export function packCheckout(change: Partial<CheckoutView> = {}): CheckoutView {
  return trialCheckout({
    sessionId: 'cs_test_pack',
    mode: 'payment',
    lineItems: [
      { name: 'Small pack', description: '100 credits', amount: 500, currency: 'usd', interval: null },
    ],
    trialDays: null,
    trialEndsAt: null,
    amountDueToday: 500,
    amountAfterTrial: null,
    customerEmail: 'ada@example.com',
    ...change,
  });
}

/** An active monthly plan. */
export function activePlan(change: Partial<PortalSubscription> = {}): PortalSubscription {
  return {
    id: 'sub_1',
    planName: 'Premium monthly',
    amount: 900,
    currency: 'usd',
    interval: 'month',
    status: 'active',
    currentPeriodEnd: PERIOD_END,
    cancelAt: null,
    trialEnd: null,
    ...change,
  };
}

/** One invoice of $9.00, paid. */
export function paidInvoice(change: Partial<PortalInvoice> = {}): PortalInvoice {
  return { id: 'in_1', created: TRIAL_END, amount: 900, currency: 'usd', status: 'paid', ...change };
}

/** The portal of a customer with one active plan, a card and two invoices. */
export function portal(change: Partial<PortalView> = {}): PortalView {
  return {
    merchant: 'Extension Billing',
    customerEmail: 'ada@example.com',
    returnUrl: 'http://127.0.0.1:5056/account',
    subscriptions: [activePlan()],
    paymentMethod: { brand: 'visa', last4: '4242' },
    invoices: [paidInvoice(), paidInvoice({ id: 'in_0', amount: 0, created: TRIAL_END - 7 * 86_400 })],
    ...change,
  };
}
