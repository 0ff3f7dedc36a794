import type Stripe from 'stripe';
import { missingResource } from '../http/errors.ts';

/** Objects of one kind by id, in the order they were made. */
export class Table<Row extends { id: string }> {
  /** As Stripe names it in "No such customer: 'cus_…'". */
  readonly kind: string;
  private readonly rows = new Map<string, Row>();

  constructor(kind: string) {
    this.kind = kind;
  }

  insert(row: Row): Row {
    this.rows.set(row.id, row);
    return row;
  }

  get(id: string | null | undefined): Row | undefined {
    return id === null || id === undefined ? undefined : this.rows.get(id);
  }

  /** @throws StripeApiError 400 `resource_missing` naming the parameter that held the id. */
  named(id: string, param: string): Row {
    const row = this.rows.get(id);
    if (row === undefined) throw missingResource(this.kind, id, param, 400);
    return row;
  }

  /** @throws StripeApiError 404 `resource_missing`: the id stood in the path. */
  inPath(id: string, param = this.kind): Row {
    const row = this.rows.get(id);
    if (row === undefined) throw missingResource(this.kind, id, param, 404);
    return row;
  }

  /** A row that the simulator itself wrote down the id of. */
  known(id: string | null): Row {
    const row = this.get(id);
    if (row === undefined) throw new Error(`The simulator lost its ${this.kind} ${id}`);
    return row;
  }

  all(): Row[] {
    return [...this.rows.values()];
  }

  size(): number {
    return this.rows.size;
  }

  /** The rows after the first `count`. */
  since(count: number): Row[] {
    return count === this.rows.size ? [] : this.all().slice(count);
  }

  newestFirst(): Row[] {
    return this.all().reverse();
  }

  find(test: (row: Row) => boolean): Row | undefined {
    for (const row of this.rows.values()) if (test(row)) return row;
    return undefined;
  }

  filter(test: (row: Row) => boolean): Row[] {
    return this.all().filter(test);
  }

  delete(id: string): void {
    this.rows.delete(id);
  }

  clear(): void {
    this.rows.clear();
  }
}

/** Every object of the account, as Stripe would show it. Fields that can be expanded hold ids. */
export function createTables() {
  return {
    products: new Table<Stripe.Product>('product'),
    prices: new Table<Stripe.Price>('price'),
    customers: new Table<Stripe.Customer>('customer'),
    balance_transactions: new Table<Stripe.BalanceTransaction>('balance transaction'),
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
    subscription_schedules: new Table<Stripe.SubscriptionSchedule>('subscription schedule'),
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
