import type Stripe from 'stripe';
import { Table } from './table.ts';

/** Every object of the account, as Stripe would show it. Fields that can be expanded hold ids. */
export function createTables() {
  return {
    products: new Table<Stripe.Product>('product'),
    prices: new Table<Stripe.Price>('price'),
    customers: new Table<Stripe.Customer>('customer'),
    customer_balance_transactions: new Table<Stripe.CustomerBalanceTransaction>('transaction'),
    coupons: new Table<Stripe.Coupon>('coupon'),
    promotion_codes: new Table<Stripe.PromotionCode>('promotion code'),
    discounts: new Table<Stripe.Discount>('discount'),
    payment_methods: new Table<Stripe.PaymentMethod>('PaymentMethod'),
    checkout_sessions: new Table<Stripe.Checkout.Session>('checkout.session'),
    payment_intents: new Table<Stripe.PaymentIntent>('payment_intent'),
    charges: new Table<Stripe.Charge>('charge'),
    refunds: new Table<Stripe.Refund>('refund'),
    disputes: new Table<Stripe.Dispute>('dispute'),
    subscriptions: new Table<Stripe.Subscription>('subscription'),
    invoices: new Table<Stripe.Invoice>('invoice'),
    invoice_items: new Table<Stripe.InvoiceItem>('invoiceitem'),
    invoice_payments: new Table<Stripe.InvoicePayment>('invoice_payment'),
    portal_sessions: new Table<Stripe.BillingPortal.Session>('billing_portal.session'),
    portal_configurations: new Table<Stripe.BillingPortal.Configuration>('configuration'),
    webhook_endpoints: new Table<Stripe.WebhookEndpoint>('webhook endpoint'),
    test_clocks: new Table<Stripe.TestHelpers.TestClock>('test_clock'),
    events: new Table<Stripe.Event>('event'),
  };
}

export type Tables = ReturnType<typeof createTables>;
