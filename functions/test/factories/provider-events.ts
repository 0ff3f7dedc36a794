import { randomUUID } from 'node:crypto';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';

/** A provider event as it is posted. Objects carry only the fields that a reader could need, in Stripe's shapes. */
export interface PostedEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: object };
}

const short = (): string => randomUUID().slice(0, 12).replace('-', '');
export const newId = (prefix: string): string => `${prefix}_${short()}`;
const seconds = (): number => Math.floor(Date.now() / 1000);
const DAY = 86_400;

export function anEvent(type: string, object: object, over: Partial<PostedEvent> = {}): PostedEvent {
  return { id: newId('evt'), type, created: seconds(), ...over, data: { object } };
}

export interface Purchase {
  readonly uid: string;
  readonly paymentIntent?: string;
  readonly customer?: string;
}

const packMetadata = (uid: string, credits: number) => ({
  uid,
  kind: 'pack',
  lookup_key: PACK.small,
  price_id: 'price_small',
  credits: String(credits),
});

/** `checkout.session.completed` of a pack. */
export function packBought(
  { uid, paymentIntent = newId('pi'), customer = `cus_${uid}` }: Purchase,
  credits = 100,
  session: object = {},
): PostedEvent {
  return anEvent('checkout.session.completed', {
    id: newId('cs'),
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    payment_intent: paymentIntent,
    customer,
    metadata: packMetadata(uid, credits),
    ...session,
  });
}

/** `charge.refunded` on a pack of $5: `refunded` is cumulative, in cents. */
export function packRefunded(
  { uid, paymentIntent = newId('pi') }: Purchase,
  refunded: number,
  credits = 100,
): PostedEvent {
  return anEvent('charge.refunded', {
    id: `ch_${paymentIntent}`,
    object: 'charge',
    amount: 500,
    amount_refunded: refunded,
    refunded: refunded === 500,
    payment_intent: paymentIntent,
    customer: `cus_${uid}`,
    metadata: packMetadata(uid, credits),
  });
}

export function lifetimeBought({ uid, paymentIntent = newId('pi') }: Purchase): PostedEvent {
  const metadata = { uid, kind: 'lifetime', lookup_key: PLAN.lifetime, price_id: 'price_life' };
  return packBought({ uid, paymentIntent }, 0, { metadata });
}

export interface Plan {
  readonly uid: string;
  readonly subscription: string;
}

const planMetadata = (uid: string, monthlyCredits: number) => ({
  uid,
  kind: 'subscription',
  lookup_key: PLAN.metered,
  price_id: 'price_metered',
  monthly_credits: String(monthlyCredits),
});

/** `customer.subscription.created`, `.updated` or `.deleted` of the metered plan. */
export function subscriptionEvent(
  change: 'created' | 'updated' | 'deleted',
  { uid, subscription }: Plan,
  over: object = {},
  created = seconds(),
): PostedEvent {
  return anEvent(
    `customer.subscription.${change}`,
    {
      id: subscription,
      object: 'subscription',
      status: change === 'deleted' ? 'canceled' : 'active',
      customer: `cus_${uid}`,
      cancel_at: null,
      cancel_at_period_end: false,
      trial_end: null,
      metadata: planMetadata(uid, 1000),
      items: {
        object: 'list',
        data: [
          {
            current_period_start: created,
            current_period_end: created + 30 * DAY,
            price: { id: 'price_metered', lookup_key: PLAN.metered },
          },
        ],
      },
      ...over,
    },
    { created },
  );
}

/** `invoice.paid` of the metered plan; `period` counts months from the first. */
export function invoicePaid(
  { uid, subscription }: Plan,
  { period = 0, monthlyCredits = 1000, invoice = newId('in'), reason = '' } = {},
): PostedEvent {
  const start = seconds() + period * 30 * DAY;
  const details = { subscription, metadata: planMetadata(uid, monthlyCredits) };
  return anEvent('invoice.paid', {
    id: invoice,
    object: 'invoice',
    billing_reason: reason || (period === 0 ? 'subscription_create' : 'subscription_cycle'),
    created: start,
    customer: `cus_${uid}`,
    metadata: {},
    parent: { type: 'subscription_details', subscription_details: details },
    lines: { object: 'list', data: [{ id: newId('il'), period: { start, end: start + 30 * DAY } }] },
  });
}
