import type { Renewal } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { type PurchaseMetadata, readMetadata, rowsOf } from './fields.ts';

const INTERVALS = ['day', 'week', 'month', 'year'] as const;

/**
 * What a subscription is billed next, by its snapshot alone: unit amount × quantity of its items, in its currency,
 * before tax. Null where the snapshot does not say it for certain, so that no page names an amount that is not charged
 * (docs/decisions/changes-of-plan.md): a discount, a schedule, usage, tiers, items of different intervals, a further
 * currency whose amount stands nowhere. What waits for the next invoice (prorations, a balance) is in no snapshot.
 *
 * @param service the item that the plan is: its interval is the renewal's
 * @param sold what was sold
 */
export function renewalOf(
  subscription: Stripe.Subscription,
  service: Stripe.SubscriptionItem | undefined,
  sold: PurchaseMetadata,
): Renewal | null {
  const { currency, schedule, discounts } = subscription;
  const rhythm = rhythmOf(service?.price);
  const isPlanned = schedule !== null && schedule !== undefined;
  if (rhythm === null || typeof currency !== 'string' || isPlanned || isDiscounted(discounts)) return null;
  let amount = 0;
  for (const item of rowsOf(subscription.items)) {
    const { interval, count } = rhythmOf(item.price) ?? {};
    const isOther = interval !== rhythm.interval || count !== rhythm.count;
    const unit = isOther || isDiscounted(item.discounts) ? null : unitAmountIn(currency, item.price, sold);
    const quantity = item.quantity ?? 1;
    if (unit === null || !Number.isSafeInteger(quantity) || quantity < 0) return null;
    amount += unit * quantity;
  }
  if (!Number.isSafeInteger(amount)) return null;
  const { interval, count } = rhythm;
  return { amount, currency, interval, ...(count > 1 && { count }) };
}

function isDiscounted(discounts: unknown): boolean {
  return Array.isArray(discounts) && discounts.length > 0;
}

/** How often a price is billed, where each period costs the same; null for any other price. */
function rhythmOf(
  price: Stripe.Price | null | undefined,
): { readonly interval: Renewal['interval']; readonly count: number } | null {
  const { recurring, billing_scheme: scheme, transform_quantity: transformed } = price ?? {};
  const interval = INTERVALS.find((known) => known === recurring?.interval);
  const isPlain = (scheme ?? 'per_unit') === 'per_unit' && (transformed ?? null) === null;
  if (interval === undefined || !isPlain || (recurring?.usage_type ?? 'licensed') !== 'licensed') return null;
  const count = recurring?.interval_count ?? 1;
  return Number.isSafeInteger(count) && count > 0 ? { interval, count } : null;
}

/**
 * What one unit costs in the subscription's currency. The price in an item shows its own currency alone, whatever the
 * subscription is billed in: for another one checkout wrote the amount down (for the price that was bought), and
 * billing setup on each price.
 */
function unitAmountIn(
  currency: string,
  price: Stripe.Price,
  { priceId, charged }: PurchaseMetadata,
): number | null {
  if (price.currency === currency) return amountOrNull(price.unit_amount);
  if (priceId === price.id && charged?.currency === currency) return charged.amount;
  return readMetadata(price.metadata).prices?.[currency] ?? null;
}

function amountOrNull(amount: number | null | undefined): number | null {
  return Number.isSafeInteger(amount) && Number(amount) >= 0 ? Number(amount) : null;
}
