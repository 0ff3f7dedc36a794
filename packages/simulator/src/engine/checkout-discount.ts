import type Stripe from 'stripe';
import type { World } from '../state/world.ts';
import { amountOff, type Redeemed } from './discounts.ts';

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
