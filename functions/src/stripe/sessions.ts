import type { Millis } from '@extension-billing/contract/customer';
import { isRunning } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import type { Config } from '../config.ts';
import { isMissing, isRefusedRequest } from './client.ts';
import { type Money, type Purchase, type PurchaseMetadata, readMetadata, writeMetadata } from './fields.ts';
import { sealOf } from './seal.ts';
import { hadTrial } from './subscriptions.ts';

export interface CheckoutSession {
  readonly id: string;
  readonly url: string;
  readonly expiresAt: Millis;
}

export interface CheckoutWish {
  readonly purchase: Purchase;
  readonly customerId: string;
  /** 0 for none. */
  readonly trialDays: number;
  /**
   * Null where the price has one currency only. Otherwise it has to be said: the provider would choose by where the buyer
   * sits, and the page showed one.
   */
  readonly currency: string | null;
  /** The extension that the buyer comes back to; null where that is not known. */
  readonly extension: string | null;
  /** What the price takes now, for the return page; null if that isn't known, or the buyer may pay something else. */
  readonly shown?: Money | null;
  /** The same attempt always gets the same session, however often the call is repeated. */
  readonly attempt: string;
}

/**
 * Makes the hosted checkout. The purchase's metadata goes onto the session and onto what it creates: the
 * subscription, or the payment intent, whose charge copies it once (that is how a refund is recognised).
 */
export async function createCheckoutSession(
  stripe: Stripe,
  config: Config,
  wish: CheckoutWish,
): Promise<CheckoutSession> {
  const session = await stripe.checkout.sessions.create(sessionParams(config, wish), {
    idempotencyKey: `checkout_${wish.attempt}`,
  });
  if (session.url === null) throw new Error('the provider made a checkout session without an address');
  return { id: session.id, url: session.url, expiresAt: session.expires_at * 1000 };
}

/** The parameters of the session, apart from sending them so that they can be read and tested as they are. */
export function sessionParams(config: Config, wish: CheckoutWish): Stripe.Checkout.SessionCreateParams {
  const { purchase, customerId, trialDays, currency, extension } = wish;
  const metadata = sealOf(config).seal(
    writeMetadata({ ...purchase, ...(config.project !== null && { project: config.project }) }),
  );
  const common: Stripe.Checkout.SessionCreateParams = {
    line_items: [{ price: purchase.priceId, quantity: 1 }],
    customer: customerId,
    client_reference_id: purchase.uid,
    metadata,
    ...(currency !== null && { currency }),
    success_url: withPurchase(returnTo(config.successUrl, extension), config, wish),
    cancel_url: returnTo(config.cancelUrl, extension),
    ...(config.allowPromoCodes && { allow_promotion_codes: true }),
    // Without the address that the buyer types, an existing customer has none that tax could be worked out from.
    ...(config.automaticTax && { automatic_tax: { enabled: true }, customer_update: { address: 'auto' } }),
  };
  if (purchase.kind !== 'subscription') {
    return { ...common, mode: 'payment', payment_intent_data: { metadata } };
  }
  return {
    ...common,
    mode: 'subscription',
    subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
  };
}

/**
 * A return page wakes the extension that its address names (`?extension=`). Of several, it is the one that asked; an
 * address that names none is the owner's own page, and stays as it is.
 */
export function returnTo(address: string, extension: string | null): string {
  const url = URL.parse(address);
  if (extension === null || url?.searchParams.has('extension') !== true) return address;
  url.searchParams.set('extension', extension);
  return url.href;
}

/**
 * The return page shows what was bought by the lookup key, whose name it knows itself: a text in an address could be
 * forged. The amount is left out if a trial, a promotion code or tax makes it another one. An owner's own page
 * (`returnTo`) stays as it is.
 */
function withPurchase(
  address: string,
  config: Config,
  { purchase, trialDays, shown = null }: CheckoutWish,
): string {
  const url = URL.parse(address);
  if (url?.searchParams.has('extension') !== true) return address;
  url.searchParams.set('bought', purchase.lookupKey);
  const isCertain = trialDays === 0 && !config.allowPromoCodes && !config.automaticTax;
  if (shown !== null && isCertain) {
    url.searchParams.set('amount', String(shown.amount));
    url.searchParams.set('currency', shown.currency);
  }
  return url.href;
}

/** How an earlier checkout of a plan ended, once nobody can complete it any more. */
export interface ClosedCheckout {
  /**
   * `subscribed`, `owned`: it was completed, and its subscription is running or its money is there, although the webhook
   * may not have come yet. `used_and_over`: completed, and that is history.
   */
  readonly kind: 'unused' | 'subscribed' | 'owned' | 'used_and_over';
  /** It began a trial, which goes once to each user. */
  readonly trialUsed: boolean;
  /** What was sold of what is `owned`. */
  readonly owned?: readonly PurchaseMetadata[];
  /** Beside what is `owned` another one is `subscribed`. */
  readonly isSubscribed?: boolean;
}

const UNUSED: ClosedCheckout = { kind: 'unused', trialUsed: false };

/** Closes an earlier checkout of a plan, and says what came of it: also of one that has run out. */
export async function closeCheckoutSession(stripe: Stripe, sessionId: string): Promise<ClosedCheckout> {
  try {
    await stripe.checkout.sessions.expire(sessionId);
    return UNUSED;
  } catch (error) {
    if (!isRefusedRequest(error)) throw error;
  }
  const session = await retrieveSession(stripe, sessionId);
  if (session === null || session.status !== 'complete') return UNUSED;
  if (session.mode === 'payment') {
    return holdsMoney(session)
      ? { kind: 'owned', trialUsed: false, owned: [readMetadata(session.metadata)] }
      : { kind: 'used_and_over', trialUsed: false };
  }
  const { subscription } = session;
  if (subscription === null || typeof subscription === 'string') {
    return { kind: 'used_and_over', trialUsed: false };
  }
  const trialUsed = hadTrial(subscription);
  return { kind: isRunning(subscription.status) ? 'subscribed' : 'used_and_over', trialUsed };
}

/** Paid, or about to be by a delayed method, and not given back since. */
function holdsMoney({ payment_status: paid, payment_intent: intent }: Stripe.Checkout.Session): boolean {
  if (intent === null || typeof intent === 'string') return paid !== 'unpaid';
  const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge;
  if (charge?.refunded === true || charge?.disputed === true) return false;
  return paid !== 'unpaid' || intent.status === 'processing';
}

/** Closes every open checkout of a plan that a customer has, known to us or not; packs stay open. */
export async function closeOpenPlans(stripe: Stripe, customerId: string): Promise<ClosedCheckout> {
  const open = await listOpen(stripe, customerId);
  let all = UNUSED;
  for (const session of open.filter((each) => !isPack(each))) {
    all = bothClosed(all, await closeCheckoutSession(stripe, session.id));
  }
  return all;
}

/** Closes the oldest open checkouts of packs that a customer has, so that `keep` of them stay open. */
export async function closeOldestPacks(stripe: Stripe, customerId: string, keep: number): Promise<void> {
  // The provider lists the newest first.
  const packs = (await listOpen(stripe, customerId)).filter(isPack);
  for (const { id } of packs.slice(keep)) await closeCheckoutSession(stripe, id);
}

/** What came of two checkouts: what stands in the way of another one counts. */
export function bothClosed(a: ClosedCheckout, b: ClosedCheckout): ClosedCheckout {
  const order = ['owned', 'subscribed', 'used_and_over', 'unused'] as const;
  const kind = order.find((each) => a.kind === each || b.kind === each) ?? 'unused';
  const isSubscribed = [a, b].some((each) => each.kind === 'subscribed' || each.isSubscribed === true);
  return {
    kind,
    trialUsed: a.trialUsed || b.trialUsed,
    ...(kind === 'owned' && { owned: [...(a.owned ?? []), ...(b.owned ?? [])], isSubscribed }),
  };
}

async function listOpen(stripe: Stripe, customer: string): Promise<readonly Stripe.Checkout.Session[]> {
  return (await stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 })).data;
}

function isPack({ metadata }: Stripe.Checkout.Session): boolean {
  return readMetadata(metadata).kind === 'pack';
}

/** The address of a new customer portal session. */
export async function createPortalSession(
  stripe: Stripe,
  config: Config,
  customerId: string,
  extension: string | null,
): Promise<string> {
  const session = await stripe.billingPortal.sessions.create({
    customer: customerId,
    return_url: returnTo(config.portalReturnUrl, extension),
  });
  return session.url;
}

async function retrieveSession(stripe: Stripe, sessionId: string): Promise<Stripe.Checkout.Session | null> {
  try {
    return await stripe.checkout.sessions.retrieve(sessionId, {
      expand: ['subscription', 'payment_intent.latest_charge'],
    });
  } catch (error) {
    // Only this: a question that the provider did not understand is not an answer.
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * The prices that a session sold.
 *
 * @throws the SDK's error where the provider cannot be asked, or has no such session (isNotFound)
 */
export async function listSoldPrices(stripe: Stripe, sessionId: string): Promise<readonly Stripe.Price[]> {
  const { data } = await stripe.checkout.sessions.listLineItems(sessionId, { limit: 100 });
  return data.flatMap(({ price }) => price ?? []);
}
