import type Stripe from 'stripe';
import { newId, randomToken } from '../state/ids.ts';

export interface CouponGiven {
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

export function makeCoupon(now: number, given: CouponGiven): Stripe.Coupon {
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

export interface PromotionCodeGiven {
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
export function makePromotionCode(now: number, given: PromotionCodeGiven): Stripe.PromotionCode {
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

export interface DiscountGiven {
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
