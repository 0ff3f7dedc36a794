import type Stripe from 'stripe';

/** A card as a page sends it. */
export interface CardTyped {
  /** Digits only. */
  number: string;
  email: string | null;
  name: string | null;
}

/** What a checkout session will make once it is paid; Stripe keeps it and does not show it. */
export interface SessionOrder {
  lines: { id: string; price: string; quantity: number }[];
  subscriptionData: Stripe.Checkout.SessionCreateParams.SubscriptionData;
  paymentIntentData: Stripe.Checkout.SessionCreateParams.PaymentIntentData;
}

/** What the simulator has to remember about objects beyond what Stripe shows of them. */
export interface PrivateFacts {
  /** Card number by payment method: decides what a charge meets. */
  readonly cardNumbers: Map<string, string>;
  readonly sessionOrders: Map<string, SessionOrder>;
  /** Signing secret by webhook endpoint. */
  readonly endpointSecrets: Map<string, string>;
  /** Subscriptions whose trial's end has been announced. */
  readonly trialEndAnnounced: Set<string>;
  /** The card that waits for its customer's answer to 3-D Secure, by session. */
  readonly askedCards: Map<string, CardTyped>;
  /** Refunds that will turn out to have failed. */
  readonly failingRefunds: Set<string>;
  readonly deletedCustomers: Set<string>;
  /** Invoice by the payment intent that pays it. */
  readonly invoiceOfIntent: Map<string, string>;
}

export function createPrivateFacts(): PrivateFacts {
  return {
    cardNumbers: new Map(),
    sessionOrders: new Map(),
    endpointSecrets: new Map(),
    trialEndAnnounced: new Set(),
    askedCards: new Map(),
    failingRefunds: new Set(),
    deletedCustomers: new Set(),
    invoiceOfIntent: new Map(),
  };
}
