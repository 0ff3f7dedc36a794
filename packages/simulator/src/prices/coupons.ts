import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { currencyGiven, mergedMetadata } from '../http/values.ts';
import { newId, randomToken } from '../state/ids.ts';

interface CouponGiven {
  id?: string;
  name: string | null;
  percentOff: number | null;
  amountOff: number | null;
  currency: string | null;
  duration: Stripe.Coupon.Duration;
  months: number | null;
  maxRedemptions: number | null;
  redeemBy: number | null;
  metadata: Record<string, string>;
}

function makeCoupon(now: number, given: CouponGiven): Stripe.Coupon {
  return {
    id: given.id ?? randomToken(8),
    object: 'coupon',
    amount_off: given.amountOff,
    created: now,
    currency: given.currency,
    duration: given.duration,
    duration_in_months: given.months,
    livemode: false,
    max_redemptions: given.maxRedemptions,
    metadata: given.metadata,
    name: given.name,
    percent_off: given.percentOff,
    redeem_by: given.redeemBy,
    times_redeemed: 0,
    valid: true,
  };
}

interface PromotionCodeGiven {
  coupon: string;
  code: string;
  active: boolean;
  expiresAt: number | null;
  maxRedemptions: number | null;
  customer: string | null;
  restrictions: Stripe.PromotionCode.Restrictions;
  metadata: Record<string, string>;
}

/** What a customer types to get a coupon. */
function makePromotionCode(now: number, given: PromotionCodeGiven): Stripe.PromotionCode {
  return {
    id: newId('promo'),
    object: 'promotion_code',
    active: given.active,
    code: given.code,
    created: now,
    customer: given.customer,
    customer_account: null,
    expires_at: given.expiresAt,
    livemode: false,
    max_redemptions: given.maxRedemptions,
    metadata: given.metadata,
    promotion: { coupon: given.coupon, type: 'coupon' },
    restrictions: given.restrictions,
    times_redeemed: 0,
  };
}

interface DiscountGiven {
  coupon: string;
  promotionCode: string | null;
  customer: string | null;
  subscription: string | null;
  session: string | null;
  end: number | null;
}

/** A coupon at work on something. */
export function makeDiscount(now: number, given: DiscountGiven): Stripe.Discount {
  return {
    id: newId('di'),
    object: 'discount',
    checkout_session: given.session,
    customer: given.customer,
    customer_account: null,
    end: given.end,
    invoice: null,
    invoice_item: null,
    promotion_code: given.promotionCode,
    source: { coupon: given.coupon, type: 'coupon' },
    start: now,
    subscription: given.subscription,
    subscription_item: null,
  };
}

export const couponRoutes = [
  route<Stripe.CouponListParams>('GET /v1/coupons', ({ world, params, path }) =>
    page(world.tables.coupons.newestFirst(), params, path),
  ),
  route<Stripe.CouponCreateParams>('POST /v1/coupons', ({ world, params }) => {
    if ((params.percent_off === undefined) === (params.amount_off === undefined))
      throw invalidRequest('You must pass either percent_off or amount_off.', 'percent_off');
    if (params.amount_off !== undefined && params.currency === undefined)
      throw invalidRequest('You must pass currency when passing amount_off', 'currency', 'parameter_missing');
    if (params.id !== undefined && world.tables.coupons.get(params.id) !== undefined)
      throw invalidRequest('Coupon already exists.', 'id', 'resource_already_exists');
    const coupon = makeCoupon(world.clock.now(), {
      ...(params.id === undefined ? {} : { id: params.id }),
      name: params.name || null,
      percentOff: params.percent_off ?? null,
      amountOff: params.amount_off ?? null,
      currency: params.currency === undefined ? null : currencyGiven(params.currency),
      duration: params.duration ?? 'once',
      months: params.duration_in_months ?? null,
      maxRedemptions: params.max_redemptions ?? null,
      redeemBy: params.redeem_by ?? null,
      metadata: mergedMetadata(null, params.metadata),
    });
    world.tables.coupons.insert(coupon);
    world.emit('coupon.created', coupon, null);
    return coupon;
  }),
  route('GET /v1/coupons/{coupon}', ({ world, id }) => world.tables.coupons.inPath(id('coupon'))),
  route<Stripe.CouponUpdateParams>('POST /v1/coupons/{coupon}', ({ world, id, params }) => {
    const coupon = world.tables.coupons.inPath(id('coupon'));
    world.change('coupon.updated', coupon, null, (row) => {
      if (params.name !== undefined) row.name = params.name || null;
      row.metadata = mergedMetadata(row.metadata, params.metadata);
    });
    return coupon;
  }),
  route('DELETE /v1/coupons/{coupon}', ({ world, id }) => {
    const coupon = world.tables.coupons.inPath(id('coupon'));
    coupon.valid = false;
    world.emit('coupon.deleted', coupon, null);
    return { id: coupon.id, object: 'coupon', deleted: true };
  }),
  route<Stripe.PromotionCodeListParams>('GET /v1/promotion_codes', ({ world, params, path }) => {
    const { code, active, coupon } = params;
    const rows = world.tables.promotion_codes
      .newestFirst()
      .filter((row) => code === undefined || row.code.toLowerCase() === code.toLowerCase())
      .filter((row) => active === undefined || row.active === active)
      .filter((row) => coupon === undefined || row.promotion.coupon === coupon)
      .filter((row) => params.customer === undefined || row.customer === params.customer);
    return page(rows, params, path);
  }),
  route<Stripe.PromotionCodeCreateParams>('POST /v1/promotion_codes', ({ world, params }) => {
    const named = params.promotion.coupon;
    if (named === undefined)
      throw invalidRequest(
        'Missing required param: promotion[coupon].',
        'promotion[coupon]',
        'parameter_missing',
      );
    const code = params.code ?? randomToken(8).toUpperCase();
    if (world.tables.promotion_codes.find((row) => row.active && row.code === code) !== undefined)
      throw invalidRequest(
        `An active promotion code with \`code: ${code}\` already exists.`,
        'code',
        'resource_already_exists',
      );
    const made = makePromotionCode(world.clock.now(), {
      coupon: world.tables.coupons.named(named, 'promotion[coupon]').id,
      code,
      active: params.active ?? true,
      expiresAt: params.expires_at ?? null,
      maxRedemptions: params.max_redemptions ?? null,
      customer: params.customer ?? null,
      restrictions: {
        first_time_transaction: params.restrictions?.first_time_transaction ?? false,
        minimum_amount: params.restrictions?.minimum_amount ?? null,
        minimum_amount_currency: params.restrictions?.minimum_amount_currency ?? null,
      },
      metadata: mergedMetadata(null, params.metadata),
    });
    world.tables.promotion_codes.insert(made);
    world.emit('promotion_code.created', made, null);
    return made;
  }),
  route('GET /v1/promotion_codes/{promotion_code}', ({ world, id }) =>
    world.tables.promotion_codes.inPath(id('promotion_code'), 'promotion_code'),
  ),
  route<Stripe.PromotionCodeUpdateParams>(
    'POST /v1/promotion_codes/{promotion_code}',
    ({ world, id, params }) => {
      const code = world.tables.promotion_codes.inPath(id('promotion_code'), 'promotion_code');
      world.change('promotion_code.updated', code, null, (row) => {
        row.active = params.active ?? row.active;
        row.metadata = mergedMetadata(row.metadata, params.metadata);
      });
      return code;
    },
  ),
];
