import type Stripe from 'stripe';
import type { Proration } from '../invoices/items.ts';
import { amountIn } from '../prices/currencies.ts';
import { afterPercentOff } from '../prices/discounts.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';

/** What was billed for an item's current time: the net amount, its period, and where it stands. */
interface Debit {
  net: number;
  period: { start: number; end: number };
  credited: Stripe.InvoiceItem.ProrationDetails.CreditedItems | null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `03 Mar 2026`, as Stripe writes a proration's day. */
function dayOf(at: number): string {
  const date = new Date(at * 1000);
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${day} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function nameOf(world: World, price: Stripe.Price, quantity: number): string {
  const name = world.tables.products.get(idOf(price.product))?.name ?? 'Subscription';
  return quantity === 1 ? name : `${quantity} × ${name}`;
}

const within = (period: { start: number; end: number }, at: number): boolean =>
  period.start <= at && at < period.end;

/** The newest debit for an item's time at `at`: a proration that still waits, or an invoice's line. */
function debitAt(
  world: World,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  at: number,
): Debit | undefined {
  const invoiced = world.tables.invoices
    .filter((row) => idOf(row.parent?.subscription_details?.subscription) === subscription.id)
    .filter((row) => row.status !== 'void')
    .flatMap((row) => row.lines.data.map((line) => ({ line, invoice: row.id })))
    .filter(({ line }) => line.parent?.subscription_item_details?.subscription_item === item.id)
    .filter(({ line }) => line.amount > 0 && within(line.period, at))
    .map(({ line, invoice }): Debit => {
      const off = (line.discount_amounts ?? []).reduce((sum, one) => sum + one.amount, 0);
      const details = { invoice, invoice_line_items: [line.id] };
      return {
        net: line.amount - off,
        period: line.period,
        credited: { type: 'invoice_line_items', invoice_line_item_details: details },
      };
    });
  const waiting = world.tables.invoice_items
    .filter((row) => row.parent?.subscription_details?.subscription_item === item.id)
    .filter((row) => row.invoice === null && row.amount > 0 && within(row.period, at))
    .map(
      (row): Debit => ({
        net: row.amount,
        period: row.period,
        credited: { type: 'invoice_item', invoice_item: row.id },
      }),
    );
  return [...invoiced, ...waiting].sort((one, other) => one.period.start - other.period.start).at(-1);
}

/** What classic billing gives back a part of: the item's price as it is now. */
function priceAsDebit(world: World, { currency }: Stripe.Subscription, item: Stripe.SubscriptionItem): Debit {
  return {
    net: amountIn(world, item.price, currency) * (item.quantity ?? 1),
    period: { start: item.current_period_start, end: item.current_period_end },
    credited: null,
  };
}

const share = (debit: Debit, at: number): number =>
  Math.round((debit.net * (debit.period.end - at)) / (debit.period.end - debit.period.start));

/**
 * The credit for the time of an item after `at`, to the second; null when nothing was billed for it. Flexible
 * billing gives back a part of what was really debited, classic billing of the price as it is now
 * (docs.stripe.com/billing/subscriptions/billing-mode/compare).
 */
export function unusedTime(
  world: World,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  at: number,
): Proration | null {
  const isFlexible = subscription.billing_mode.type === 'flexible';
  const debit = isFlexible ? debitAt(world, subscription, item, at) : priceAsDebit(world, subscription, item);
  const amount = debit === undefined ? 0 : share(debit, at);
  if (debit === undefined || amount === 0) return null;
  const quantity = item.quantity ?? 1;
  return {
    amount: -amount,
    description: `Unused time on ${nameOf(world, item.price, quantity)} after ${dayOf(at)}`,
    price: item.price,
    quantity,
    period: { start: at, end: item.current_period_end },
    subscription: subscription.id,
    subscriptionItem: item.id,
    credited: debit.credited,
  };
}

/**
 * The debit for the rest of an item's period at another price or quantity; null when it costs nothing.
 *
 * @param item as it will be: its period is the one that the rest is of
 */
export function remainingTime(
  world: World,
  subscription: Stripe.Subscription,
  item: Stripe.SubscriptionItem,
  at: number,
): Proration | null {
  const to = { price: item.price, quantity: item.quantity ?? 1 };
  const period = { start: item.current_period_start, end: item.current_period_end };
  const whole = {
    net: amountIn(world, to.price, subscription.currency) * to.quantity,
    period,
    credited: null,
  };
  const amount = afterPercentOff(world, subscription, share(whole, at));
  if (amount === 0) return null;
  return {
    amount,
    description: `Remaining time on ${nameOf(world, to.price, to.quantity)} after ${dayOf(at)}`,
    ...to,
    period: { start: at, end: item.current_period_end },
    subscription: subscription.id,
    subscriptionItem: item.id,
    credited: null,
  };
}
