import type Stripe from 'stripe';
import { invalidRequest } from './errors.ts';
import type { Operation } from './operations.ts';
import type { ParamMap, ParamValue } from './parameters.ts';

/**
 * Which of an operation's parameters the simulator supports, where it does not support all of Stripe's document.
 * A dot leads into a map or a list of maps; `name=a|b` supports these values only; `+name` is only kept, and shown on
 * the object as it was given (`keptParams`). Everything else is refused by name, so that no parameter is dropped.
 */
export const SUPPORTED: Partial<Record<Operation, string>> = {
  'GET /v1/balance_transactions': 'created currency source type',
  'GET /v1/products': 'active created ids',
  'POST /v1/products':
    'active default_price_data.currency default_price_data.metadata default_price_data.recurring.interval default_price_data.recurring.interval_count default_price_data.unit_amount default_price_data.tax_behavior description id images metadata name statement_descriptor tax_code unit_label url +marketing_features +package_dimensions +shippable',
  'POST /v1/products/{id}':
    'active default_price description images metadata name statement_descriptor tax_code unit_label url +marketing_features +package_dimensions +shippable',
  'GET /v1/prices':
    'active created currency lookup_keys product recurring.interval recurring.usage_type=licensed type',
  'POST /v1/prices':
    'active billing_scheme=per_unit currency currency_options lookup_key metadata nickname product product_data.id product_data.metadata product_data.name product_data.statement_descriptor product_data.tax_code product_data.unit_label recurring.interval recurring.interval_count recurring.usage_type=licensed tax_behavior transfer_lookup_key unit_amount unit_amount_decimal',
  'POST /v1/prices/{price}':
    'active currency_options lookup_key metadata nickname tax_behavior transfer_lookup_key',
  'POST /v1/customers':
    'source address balance description email invoice_settings.default_payment_method metadata name payment_method phone test_clock +business_name +individual_name +preferred_locales +shipping +tax_exempt invoice_settings.custom_fields invoice_settings.footer',
  'POST /v1/customers/{customer}':
    'address balance description email invoice_settings.default_payment_method metadata name phone +business_name +individual_name +preferred_locales +shipping +tax_exempt invoice_settings.custom_fields invoice_settings.footer',
  'GET /v1/customers/{customer}/payment_methods': 'type allow_redisplay',
  'GET /v1/customers/{customer}/balance_transactions': 'created invoice',
  'GET /v1/payment_methods': 'customer type allow_redisplay',
  'POST /v1/payment_methods':
    'billing_details.email billing_details.name billing_details.address billing_details.phone card metadata sepa_debit type=card|sepa_debit +allow_redisplay',
  'POST /v1/payment_methods/{payment_method}': 'metadata +allow_redisplay card.exp_month card.exp_year',
  'POST /v1/payment_methods/{payment_method}/attach': 'customer',
  'POST /v1/coupons':
    'amount_off currency duration duration_in_months id max_redemptions metadata name percent_off redeem_by',
  'POST /v1/coupons/{coupon}': 'metadata name',
  'GET /v1/promotion_codes': 'active code coupon created customer',
  'POST /v1/promotion_codes':
    'active code customer expires_at max_redemptions metadata promotion restrictions.first_time_transaction restrictions.minimum_amount restrictions.minimum_amount_currency',
  'POST /v1/promotion_codes/{promotion_code}': 'active metadata',
  'GET /v1/checkout/sessions': 'created customer customer_details payment_intent status subscription',
  'POST /v1/checkout/sessions':
    'allow_promotion_codes automatic_tax cancel_url client_reference_id currency customer customer_creation customer_email customer_update discounts expires_at line_items.price line_items.price_data.currency line_items.price_data.product line_items.price_data.product_data line_items.price_data.recurring line_items.price_data.unit_amount line_items.price_data.tax_behavior line_items.quantity locale metadata mode payment_intent_data.description payment_intent_data.metadata payment_intent_data.receipt_email payment_intent_data.setup_future_usage payment_intent_data.shipping payment_intent_data.statement_descriptor payment_intent_data.statement_descriptor_suffix payment_intent_data.capture_method=automatic|automatic_async payment_method_collection subscription_data.billing_mode subscription_data.description subscription_data.metadata subscription_data.trial_end subscription_data.trial_period_days subscription_data.trial_settings subscription_data.invoice_settings.issuer.type=self success_url ui_mode adaptive_pricing.enabled=false allowed_payment_method_types=card billing_address_collection=auto +integration_identifier +origin_context payment_method_options.card.request_three_d_secure=automatic payment_method_types=card|sepa_debit phone_number_collection.enabled=false submit_type=auto|pay|subscribe',
  'POST /v1/checkout/sessions/{session}': 'metadata',
  'GET /v1/payment_intents': 'created customer',
  'POST /v1/payment_intents':
    'amount +automatic_payment_methods capture_method=automatic|automatic_async confirm confirmation_method=automatic currency customer description metadata payment_method off_session receipt_email return_url setup_future_usage allowed_payment_method_types=card payment_method_options.card.request_three_d_secure=automatic payment_method_types=card +shipping +statement_descriptor +statement_descriptor_suffix use_stripe_sdk=false',
  'POST /v1/payment_intents/{intent}':
    'description metadata payment_method payment_method_options.card.request_three_d_secure=automatic payment_method_types=card +receipt_email +shipping +statement_descriptor +statement_descriptor_suffix',
  'POST /v1/payment_intents/{intent}/confirm':
    'off_session payment_method return_url payment_method_options.card.request_three_d_secure=automatic payment_method_types=card +receipt_email +shipping use_stripe_sdk=false',
  'GET /v1/charges': 'created customer payment_intent',
  'POST /v1/charges/{charge}': 'description metadata +fraud_details +receipt_email +shipping',
  'GET /v1/subscriptions': 'created customer price status test_clock',
  'POST /v1/subscriptions':
    'automatic_tax billing_mode cancel_at cancel_at_period_end collection_method=charge_automatically currency customer default_payment_method description discounts.coupon discounts.promotion_code items.price items.quantity items.metadata metadata payment_behavior=allow_incomplete|default_incomplete|error_if_incomplete trial_end trial_period_days trial_settings invoice_settings.issuer.type=self off_session payment_settings.payment_method_types=card payment_settings.save_default_payment_method proration_behavior trial_from_plan=false',
  'POST /v1/subscriptions/{subscription_exposed_id}':
    'automatic_tax billing_cycle_anchor cancel_at cancel_at_period_end cancellation_details collection_method=charge_automatically default_payment_method description discounts.coupon discounts.promotion_code items.id items.price items.price_data items.quantity items.deleted items.metadata metadata payment_behavior proration_behavior proration_date trial_end trial_settings invoice_settings.issuer.type=self off_session payment_settings.payment_method_types=card payment_settings.save_default_payment_method trial_from_plan=false',
  'POST /v1/subscription_items/{item}':
    'metadata payment_behavior price proration_behavior proration_date quantity off_session',
  'GET /v1/invoices': 'created collection_method customer status subscription',
  'POST /v1/invoices':
    'auto_advance collection_method=charge_automatically currency customer description metadata pending_invoice_items_behavior subscription +custom_fields +footer +statement_descriptor',
  'POST /v1/invoices/create_preview':
    'customer preview_mode subscription subscription_details.billing_cycle_anchor subscription_details.cancel_at subscription_details.cancel_at_period_end subscription_details.cancel_now subscription_details.items.id subscription_details.items.price subscription_details.items.price_data subscription_details.items.quantity subscription_details.items.deleted subscription_details.proration_behavior subscription_details.proration_date subscription_details.trial_end currency',
  'POST /v1/invoices/{invoice}/finalize': 'auto_advance=false',
  'POST /v1/invoices/{invoice}/pay': 'off_session payment_method',
  'GET /v1/invoiceitems': 'created customer invoice pending',
  'POST /v1/invoiceitems': 'amount currency customer description metadata',
  'GET /v1/invoice_payments': 'created invoice payment status',
  'POST /v1/refunds': 'amount charge metadata payment_intent reason',
  'POST /v1/billing_portal/sessions':
    'configuration customer flow_data.type=subscription_update_confirm flow_data.subscription_update_confirm.items.id flow_data.subscription_update_confirm.items.price flow_data.subscription_update_confirm.items.quantity flow_data.subscription_update_confirm.subscription flow_data.after_completion locale return_url',
  'POST /v1/billing_portal/configurations':
    'business_profile default_return_url features metadata name login_page.enabled=false',
  'POST /v1/billing_portal/configurations/{configuration}':
    'active business_profile default_return_url features metadata name login_page.enabled=false',
  'GET /v1/subscription_schedules': 'created customer scheduled',
  'POST /v1/subscription_schedules':
    'customer end_behavior=cancel|release from_subscription metadata phases.duration phases.end_date phases.items.price phases.items.quantity phases.iterations start_date',
  'POST /v1/subscription_schedules/{schedule}': 'end_behavior=cancel|release metadata',
  'POST /v1/subscription_schedules/{schedule}/cancel': 'invoice_now=false prorate=false',
  'POST /v1/subscription_schedules/{schedule}/release': 'preserve_cancel_date=false',
  'POST /v1/webhook_endpoints': 'api_version connect=false description enabled_events metadata url',
  'POST /v1/test_helpers/test_clocks': 'frozen_time name',
};

/** What every list takes, and every call. */
const EVERYWHERE = ['ending_before', 'expand', 'limit', 'starting_after'];

/** Supported paths, each with the only values that are supported; null for any. */
type Supported = ReadonlyMap<string, readonly string[] | null>;

function parse(text: string): Supported {
  const entries = text.split(' ').map((entry) => {
    const [path = '', values] = entry.replace('+', '').split('=');
    return [path, values?.split('|') ?? null] as const;
  });
  return new Map([...EVERYWHERE.map((path) => [path, null] as const), ...entries]);
}

const supportedBy = new Map(
  Object.entries(SUPPORTED).map(([operation, text]) => [operation, parse(text)] as const),
);

const isMap = (value: ParamValue): value is ParamMap => typeof value === 'object' && !Array.isArray(value);

function refuse(operation: Operation, param: string, value?: ParamValue): never {
  const what = value === undefined ? `\`${param}\`` : `\`${param}=${value}\``;
  throw invalidRequest(
    `The simulator does not implement ${what} of ${operation}, which Stripe has. Leave it out here, or try it with a test key of your own.`,
    param,
  );
}

/** `shown` is the path with its indices, as Stripe names parameters; `path` the one without. */
function check(
  operation: Operation,
  supported: Supported,
  value: ParamValue,
  path: string,
  shown: string,
): void {
  const values = supported.get(path);
  if (values === null) return;
  if (values !== undefined) {
    if (!values.includes(String(value))) refuse(operation, shown, value);
    return;
  }
  const leadsFurther = path === '' || [...supported.keys()].some((known) => known.startsWith(`${path}.`));
  if (!leadsFurther) refuse(operation, shown);
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries())
      check(operation, supported, inner, path, `${shown}[${index}]`);
  } else if (isMap(value)) {
    for (const [key, inner] of Object.entries(value))
      if (path === '') check(operation, supported, inner, key, key);
      else check(operation, supported, inner, `${path}.${key}`, `${shown}[${key}]`);
  } else if (value !== '') refuse(operation, shown);
}

/**
 * Refuses what Stripe supports and the simulator does not: nothing that is sent is silently dropped.
 * @throws StripeApiError 400 naming the parameter.
 */
export function refuseUnsupported(operation: Operation, params: ParamMap): void {
  const supported = supportedBy.get(operation);
  if (supported !== undefined) check(operation, supported, params, '', '');
}

type Shipping = Stripe.PaymentIntentCreateParams.Shipping;

const ADDRESS_FIELDS = ['city', 'country', 'line1', 'line2', 'postal_code', 'state'] as const;

/** An address as an object shows it: every field, null if it wasn't given. */
export function addressOf(given: Stripe.AddressParam | '' | null | undefined): Stripe.Address | null {
  if (given === undefined || given === null || given === '') return null;
  return Object.fromEntries(
    ADDRESS_FIELDS.map((field) => [field, given[field] ?? null]),
  ) as unknown as Stripe.Address;
}

/** Where something is sent, as an object shows it. */
export function shippingOf(given: Shipping | '' | null | undefined): Stripe.PaymentIntent.Shipping | null {
  if (given === undefined || given === null || given === '') return null;
  const address = addressOf(given.address) ?? {};
  return { phone: null, ...given, address } as Stripe.PaymentIntent.Shipping;
}

/**
 * The parameters of an operation that its object only keeps (`+name`), as the object shows them: an empty string unsets.
 */
export function keptParams(operation: Operation, params: object): Record<string, unknown> {
  const names = (SUPPORTED[operation] ?? '').split(' ').filter((entry) => entry.startsWith('+'));
  const given = names
    .map((entry) => entry.slice(1))
    .flatMap((name) => (name in params ? [[name, Reflect.get(params, name)] as const] : []));
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      name === 'shipping' ? shippingOf(value) : value === '' ? null : value,
    ]),
  );
}
