import type { World } from '../state/world.ts';

/** The operations of Stripe's API that the simulator answers, named as Stripe's OpenAPI document names them. */
export const OPERATIONS = [
  'GET /v1/account',
  'GET /v1/balance_transactions',
  'GET /v1/balance_transactions/{id}',
  'GET /v1/products',
  'POST /v1/products',
  'GET /v1/products/{id}',
  'POST /v1/products/{id}',
  'DELETE /v1/products/{id}',
  'GET /v1/prices',
  'POST /v1/prices',
  'GET /v1/prices/{price}',
  'POST /v1/prices/{price}',
  'GET /v1/customers',
  'POST /v1/customers',
  'GET /v1/customers/{customer}',
  'POST /v1/customers/{customer}',
  'DELETE /v1/customers/{customer}',
  'GET /v1/customers/{customer}/payment_methods',
  'GET /v1/customers/{customer}/balance_transactions',
  'POST /v1/customers/{customer}/balance_transactions',
  'GET /v1/customers/{customer}/balance_transactions/{transaction}',
  'GET /v1/payment_methods',
  'POST /v1/payment_methods',
  'GET /v1/payment_methods/{payment_method}',
  'POST /v1/payment_methods/{payment_method}',
  'POST /v1/payment_methods/{payment_method}/attach',
  'POST /v1/payment_methods/{payment_method}/detach',
  'GET /v1/coupons',
  'POST /v1/coupons',
  'GET /v1/coupons/{coupon}',
  'POST /v1/coupons/{coupon}',
  'DELETE /v1/coupons/{coupon}',
  'GET /v1/promotion_codes',
  'POST /v1/promotion_codes',
  'GET /v1/promotion_codes/{promotion_code}',
  'POST /v1/promotion_codes/{promotion_code}',
  'GET /v1/checkout/sessions',
  'POST /v1/checkout/sessions',
  'GET /v1/checkout/sessions/{session}',
  'POST /v1/checkout/sessions/{session}',
  'POST /v1/checkout/sessions/{session}/expire',
  'GET /v1/checkout/sessions/{session}/line_items',
  'GET /v1/payment_intents',
  'POST /v1/payment_intents',
  'GET /v1/payment_intents/{intent}',
  'POST /v1/payment_intents/{intent}',
  'POST /v1/payment_intents/{intent}/confirm',
  'POST /v1/payment_intents/{intent}/cancel',
  'GET /v1/charges',
  'GET /v1/charges/{charge}',
  'POST /v1/charges/{charge}',
  'GET /v1/subscriptions',
  'POST /v1/subscriptions',
  'GET /v1/subscriptions/{subscription_exposed_id}',
  'POST /v1/subscriptions/{subscription_exposed_id}',
  'DELETE /v1/subscriptions/{subscription_exposed_id}',
  'GET /v1/subscription_items',
  'GET /v1/subscription_items/{item}',
  'POST /v1/subscription_items/{item}',
  'GET /v1/invoices',
  'POST /v1/invoices',
  'POST /v1/invoices/create_preview',
  'GET /v1/invoices/{invoice}',
  'GET /v1/invoices/{invoice}/lines',
  'POST /v1/invoices/{invoice}/finalize',
  'POST /v1/invoices/{invoice}/pay',
  'POST /v1/invoices/{invoice}/void',
  'POST /v1/invoices/{invoice}/mark_uncollectible',
  'GET /v1/invoiceitems',
  'POST /v1/invoiceitems',
  'GET /v1/invoiceitems/{invoiceitem}',
  'GET /v1/invoice_payments',
  'GET /v1/refunds',
  'POST /v1/refunds',
  'GET /v1/refunds/{refund}',
  'POST /v1/refunds/{refund}',
  'GET /v1/disputes',
  'GET /v1/disputes/{dispute}',
  'POST /v1/disputes/{dispute}',
  'POST /v1/disputes/{dispute}/close',
  'POST /v1/billing_portal/sessions',
  'GET /v1/billing_portal/configurations',
  'POST /v1/billing_portal/configurations',
  'GET /v1/billing_portal/configurations/{configuration}',
  'POST /v1/billing_portal/configurations/{configuration}',
  'GET /v1/subscription_schedules',
  'POST /v1/subscription_schedules',
  'GET /v1/subscription_schedules/{schedule}',
  'POST /v1/subscription_schedules/{schedule}',
  'POST /v1/subscription_schedules/{schedule}/cancel',
  'POST /v1/subscription_schedules/{schedule}/release',
  'GET /v1/webhook_endpoints',
  'POST /v1/webhook_endpoints',
  'GET /v1/webhook_endpoints/{webhook_endpoint}',
  'POST /v1/webhook_endpoints/{webhook_endpoint}',
  'DELETE /v1/webhook_endpoints/{webhook_endpoint}',
  'GET /v1/events',
  'GET /v1/events/{id}',
  'GET /v1/test_helpers/test_clocks',
  'POST /v1/test_helpers/test_clocks',
  'GET /v1/test_helpers/test_clocks/{test_clock}',
  'DELETE /v1/test_helpers/test_clocks/{test_clock}',
  'POST /v1/test_helpers/test_clocks/{test_clock}/advance',
] as const;

/** Operations that Stripe's document leaves out. */
export const UNDOCUMENTED = [
  'GET /v1/payment_pages/{session}',
  'POST /v1/payment_pages/{session}/confirm',
  'POST /v1/events/{id}/retry',
] as const;

export type Operation = (typeof OPERATIONS)[number] | (typeof UNDOCUMENTED)[number];

/** What a handler gets: parameters that have passed the operation's schema, and the ids in the path. */
interface Call<Params> {
  world: World;
  params: Params;
  /** The path's parameters, by the name in the operation. */
  id: (name: string) => string;
  path: string;
}

export interface Route {
  operation: Operation;
  handle: (call: Call<never>) => object;
}

/**
 * An operation and what answers it. `Params` is the SDK's own type for the operation's parameters: the
 * schema that the request is checked against before says the same.
 */
export function route<Params>(operation: Operation, handle: (call: Call<Params>) => object): Route {
  return { operation, handle };
}
