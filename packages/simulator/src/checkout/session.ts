import type Stripe from 'stripe';
import { keptParams } from '../http/supported.ts';
import { amountOff, type Redeemed } from '../prices/discounts.ts';
import { idOf, newId, randomToken } from '../state/ids.ts';
import type { World } from '../state/world.ts';

interface SessionGiven {
  mode: Stripe.Checkout.Session.Mode;
  currency: string;
  amountTotal: number;
  params: Stripe.Checkout.SessionCreateParams;
  expiresAt: number;
  customerEmail: string | null;
  baseUrl: string;
}

export function makeCheckoutSession(now: number, given: SessionGiven): Stripe.Checkout.Session {
  const { params } = given;
  const id = newId('cs_test', 58);
  const tax = params.automatic_tax?.enabled ?? false;
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    amount_subtotal: given.amountTotal,
    amount_total: given.amountTotal,
    automatic_tax: {
      enabled: tax,
      liability: tax ? { type: 'self' } : null,
      provider: tax ? 'stripe' : null,
      status: tax ? 'requires_location_inputs' : null,
    },
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: now,
    currency: given.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: params.customer ?? null,
    customer_account: null,
    customer_creation:
      given.mode === 'subscription'
        ? params.customer === undefined
          ? 'always'
          : null
        : params.customer === undefined
          ? (params.customer_creation ?? 'if_required')
          : null,
    customer_details:
      given.customerEmail === null
        ? null
        : {
            address: null,
            business_name: null,
            email: given.customerEmail,
            individual_name: null,
            name: null,
            phone: null,
            tax_exempt: 'none',
            tax_ids: null,
          },
    customer_email: params.customer_email ?? null,
    discounts: [],
    expires_at: given.expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation:
      given.mode === 'payment'
        ? {
            enabled: false,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: null,
              footer: null,
              issuer: null,
              metadata: {},
              rendering_options: null,
            },
          }
        : null,
    livemode: false,
    locale: params.locale ?? null,
    managed_payments: null,
    metadata: {},
    mode: given.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection:
      given.mode === 'subscription' ? (params.payment_method_collection ?? 'always') : 'if_required',
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: params.phone_number_collection?.enabled ?? false },
    recovered_from: null,
    saved_payment_method_options:
      params.customer === undefined
        ? null
        : {
            allow_redisplay_filters: ['always'],
            payment_method_remove: 'disabled',
            payment_method_save: null,
          },
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: params.submit_type ?? null,
    subscription: null,
    success_url: params.success_url ?? null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${given.baseUrl}/c/pay/${id}#${randomToken(12)}`,
    wallet_options: null,
    ...keptParams('POST /v1/checkout/sessions', params),
  };
}

/** What a line sells, and for how much in the session's currency: the price's own may be another. */
interface LinePrice {
  price: Stripe.Price;
  /** Minor units of `currency`. */
  unit: number;
  currency: string;
}

/** One line of a session: present only when asked for (`line_items`). */
export function makeLineItem(
  id: string,
  { price, unit, currency }: LinePrice,
  name: string,
  quantity: number,
): Stripe.LineItem {
  const amount = unit * quantity;
  return {
    id,
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description: name,
    metadata: {},
    price,
    quantity,
  };
}

/** Open → expired; its page no longer takes a payment. */
export function expireSession(world: World, session: Stripe.Checkout.Session): void {
  session.status = 'expired';
  session.url = null;
  world.emit('checkout.session.expired', session, world.scopeOf(idOf(session.customer)));
}

/** Puts a coupon on an open session: what is due today falls by it. Takes the place of an earlier one. */
export function discountSession(world: World, session: Stripe.Checkout.Session, redeemed: Redeemed): void {
  const coupon = world.tables.coupons.known(redeemed.coupon);
  const subtotal = session.amount_subtotal ?? 0;
  const off = amountOff(coupon, subtotal);
  session.discounts = [{ coupon: redeemed.coupon, promotion_code: redeemed.promotionCode }];
  session.amount_total = subtotal - off;
  session.total_details = { amount_discount: off, amount_shipping: 0, amount_tax: 0 };
}

/** The coupon on a session, or null. */
export function discountOfSession(session: Stripe.Checkout.Session): Redeemed | null {
  const [discount] = session.discounts ?? [];
  if (discount === undefined) return null;
  const { coupon, promotion_code: code } = discount;
  const couponId = typeof coupon === 'string' ? coupon : coupon?.id;
  if (couponId === undefined) return null;
  return { coupon: couponId, promotionCode: typeof code === 'string' ? code : (code?.id ?? null) };
}
