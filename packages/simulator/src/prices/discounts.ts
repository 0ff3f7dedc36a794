import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { periodBoundary } from '../subscriptions/periods.ts';
import { makeDiscount } from './coupons.ts';

/** A coupon, and the code that brought it. */
export interface Redeemed {
  coupon: string;
  promotionCode: string | null;
}

/** What a coupon takes off an amount, in minor units; never more than the amount. */
export function amountOff(coupon: Stripe.Coupon, amount: number): number {
  const off =
    coupon.percent_off === null ? (coupon.amount_off ?? 0) : Math.round((amount * coupon.percent_off) / 100);
  return Math.min(amount, off);
}

function isUsable(coupon: Stripe.Coupon, now: number): boolean {
  const left = coupon.max_redemptions === null || coupon.times_redeemed < coupon.max_redemptions;
  return coupon.valid && left && (coupon.redeem_by === null || coupon.redeem_by > now);
}

/** What a code is to be redeemed for: whose purchase, and how much before any discount. */
export interface Purchase {
  customer: string | null;
  amount: number;
  currency: string;
}

function meetsRestrictions(world: World, code: Stripe.PromotionCode, purchase: Purchase): boolean {
  const { first_time_transaction: first, minimum_amount: least } = code.restrictions;
  const { minimum_amount_currency: currency } = code.restrictions;
  const { customer } = purchase;
  const hasPaid =
    customer !== null &&
    world.tables.charges.find((row) => row.paid && idOf(row.customer) === customer) !== undefined;
  const isEnough = least === null || (purchase.amount >= least && purchase.currency === currency);
  return isEnough && !(first && hasPaid);
}

/** The coupon behind a code that a customer typed, or null when the code is of no use to them now. */
export function redeemable(world: World, code: string, purchase: Purchase): Redeemed | null {
  const { customer } = purchase;
  const now = world.nowFor(customer);
  const found = world.tables.promotion_codes.find(
    (row) => row.active && row.code.toLowerCase() === code.trim().toLowerCase(),
  );
  if (found === undefined) return null;
  const used = found.max_redemptions !== null && found.times_redeemed >= found.max_redemptions;
  const expired = found.expires_at !== null && found.expires_at <= now;
  const others = idOf(found.customer) !== null && idOf(found.customer) !== customer;
  const coupon = world.tables.coupons.get(idOf(found.promotion.coupon));
  if (used || expired || others || coupon === undefined || !isUsable(coupon, now)) return null;
  if (!meetsRestrictions(world, found, purchase)) return null;
  return { coupon: coupon.id, promotionCode: found.id };
}

/** The discount that a request names by coupon or promotion code id. */
export function discountGiven(
  world: World,
  given: { coupon?: string; promotion_code?: string },
  param: string,
): Redeemed {
  if (given.promotion_code !== undefined) {
    const code = world.tables.promotion_codes.named(given.promotion_code, `${param}[promotion_code]`);
    if (!code.active)
      throw invalidRequest(
        'This promotion code is inactive. This field only accepts active promotion codes.',
        `${param}[promotion_code]`,
        'resource_missing',
      );
    return { coupon: idOf(code.promotion.coupon) ?? '', promotionCode: code.id };
  }
  if (given.coupon === undefined)
    throw invalidRequest(`Missing required param: ${param}[coupon].`, `${param}[coupon]`);
  const coupon = world.tables.coupons.named(given.coupon, `${param}[coupon]`);
  if (!isUsable(coupon, world.clock.now()))
    throw invalidRequest(`Coupon expired: ${coupon.id}`, `${param}[coupon]`, 'coupon_expired');
  return { coupon: coupon.id, promotionCode: null };
}

/** Counts a redemption of the coupon and of its code. */
export function countRedemption(world: World, redeemed: Redeemed): void {
  const coupon = world.tables.coupons.known(redeemed.coupon);
  coupon.times_redeemed += 1;
  if (coupon.max_redemptions !== null && coupon.times_redeemed >= coupon.max_redemptions)
    coupon.valid = false;
  const code = world.tables.promotion_codes.get(redeemed.promotionCode);
  if (code !== undefined) code.times_redeemed += 1;
}

/** Puts a coupon to work on a subscription, for as long as it lasts. */
export function discountSubscription(
  world: World,
  subscription: Stripe.Subscription,
  redeemed: Redeemed,
  session: string | null,
): void {
  const coupon = world.tables.coupons.known(redeemed.coupon);
  const customer = idOf(subscription.customer);
  const now = world.nowFor(customer);
  const months = coupon.duration === 'repeating' ? (coupon.duration_in_months ?? 1) : null;
  const end = months === null ? null : periodBoundary(now, { unit: 'month', count: 1 }, months);
  const discount = makeDiscount(now, { ...redeemed, customer, subscription: subscription.id, session, end });
  world.tables.discounts.insert(discount);
  subscription.discounts = [discount.id];
  countRedemption(world, redeemed);
}

/** The coupon that is at work on a subscription now; undefined without one. */
function couponAtWork(
  world: World,
  subscription: Stripe.Subscription,
): { discount: string; coupon: Stripe.Coupon } | undefined {
  const [reference] = subscription.discounts;
  const discount = world.tables.discounts.get(idOf(reference));
  if (discount === undefined) return undefined;
  const now = world.nowFor(idOf(subscription.customer));
  if (discount.end !== null && discount.end <= now) return undefined;
  return { discount: discount.id, coupon: world.tables.coupons.known(idOf(discount.source.coupon)) };
}

/** What the discount at work takes off that much of a subscription's next invoice; null without one. */
export function discountOn(
  world: World,
  subscription: Stripe.Subscription,
  discountable: number,
): { discount: string; amount: number } | null {
  const found = couponAtWork(world, subscription);
  if (found === undefined || discountable <= 0) return null;
  return { discount: found.discount, amount: amountOff(found.coupon, discountable) };
}

/** Ends a discount that holds for one invoice, once that invoice has been made. */
export function endOnceOnly(world: World, subscription: Stripe.Subscription): void {
  if (couponAtWork(world, subscription)?.coupon.duration === 'once') subscription.discounts = [];
}

/** What a percentage that is at work leaves of an amount that is billed in the middle of a period. */
export function afterPercentOff(world: World, subscription: Stripe.Subscription, amount: number): number {
  const coupon = couponAtWork(world, subscription)?.coupon;
  return coupon?.percent_off == null ? amount : amount - amountOff(coupon, amount);
}
