import type Stripe from 'stripe';
import { currencyGiven } from '../http/check-values.ts';
import { invalidRequest } from '../http/errors.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { makeCoupon, makePromotionCode } from '../objects/coupon.ts';
import { mergedMetadata } from '../objects/metadata.ts';
import { randomToken } from '../state/ids.ts';

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
