import type Stripe from 'stripe';

/** A decimal as it travels: the SDK's type is the class that its client makes of this string. */
export function wireDecimal(amount: number | null): Stripe.Price['unit_amount_decimal'] {
  return (amount === null ? null : String(amount)) as unknown as Stripe.Price['unit_amount_decimal'];
}
