/**
 * What the hosted pages need to know, and nothing else. The engine derives a view from its own objects; a page
 * is a pure function of its view. Amounts are integers in the currency's minor unit, as Stripe counts them;
 * times are whole seconds since 1970; currencies are ISO codes in lower case.
 */

/** How often a price renews; `null` where it is paid once. */
export type BillingInterval = 'day' | 'week' | 'month' | 'year';

/** One line of what is bought. `amount` is the whole line (unit amount × quantity). */
export type CheckoutLine = {
  name: string;
  description: string | null;
  amount: number;
  currency: string;
  interval: BillingInterval | null;
  /** 1 if absent. */
  quantity?: number | undefined;
};

/** The field that a refusal belongs to; each is also the name of the form's input. */
export type CheckoutField = 'email' | 'number' | 'exp' | 'cvc' | 'name' | 'promotion_code';

/** Why the last attempt was refused. `code` is Stripe's (`card_declined`, `incorrect_number`, …). */
export type PageError<Field extends string> = {
  field?: Field | undefined;
  code: string;
  message: string;
};

/** The challenge of a card that asks for 3-D Secure, while it waits for the customer's answer. */
export type ThreeDSecureChallenge = {
  /** The payment or setup intent that waits. */
  intentId: string;
  amount: number;
  currency: string;
  last4: string;
};

/** A hosted checkout session as its page shows it. */
export type CheckoutView = {
  sessionId: string;
  mode: 'payment' | 'subscription';
  /** Business name, shown above the summary. */
  merchant: string;
  currency: string;
  lineItems: CheckoutLine[];
  /** Days of trial, or `null` without one. */
  trialDays: number | null;
  trialEndsAt: number | null;
  amountDueToday: number;
  /** Taken off by a promotion code; shown as a line of its own. */
  discount?: { code: string; amount: number } | undefined;
  /** Tax within `amountDueToday`; without it, automatic tax is only announced. */
  taxAmount?: number | undefined;
  /** What each renewal costs once the trial has ended; `null` without a trial. */
  amountAfterTrial: number | null;
  /** Known already (the session's customer or `customer_email`): shown read-only. `null` asks for it. */
  customerEmail: string | null;
  /** Where "Back" leads; `null` shows none. */
  cancelUrl: string | null;
  /** Where a completed session sends the browser; only `renderCheckoutClosed` reads it. */
  successUrl?: string | null | undefined;
  allowPromotionCodes: boolean;
  automaticTax: boolean;
  state: 'open' | 'complete' | 'expired';
  /** What the customer typed in the refused attempt. Never a card number or CVC. */
  typed?: { email?: string | undefined; name?: string | undefined } | undefined;
  error?: PageError<CheckoutField> | undefined;
  threeDSecure?: ThreeDSecureChallenge | undefined;
};

/** A subscription in the portal. `currentPeriodEnd` is its item's. */
export type PortalSubscription = {
  id: string;
  planName: string;
  amount: number;
  currency: string;
  interval: BillingInterval;
  status:
    | 'trialing'
    | 'active'
    | 'past_due'
    | 'unpaid'
    | 'incomplete'
    | 'incomplete_expired'
    | 'paused'
    | 'canceled';
  currentPeriodEnd: number;
  /** When it will end, once a cancellation is scheduled. */
  cancelAt: number | null;
  trialEnd: number | null;
  /** The plan that a schedule changes this one to, and when. */
  changesTo?: { planName: string; at: number } | undefined;
  /** Plans that the customer may switch to here; none where the portal's configuration allows none. */
  switches?: PortalPlan[] | undefined;
};

/** A plan that can be switched to. */
export type PortalPlan = {
  /** Of the price: the form's value. */
  id: string;
  planName: string;
  amount: number;
  currency: string;
  interval: BillingInterval;
};

/** A plan of a change that is to be confirmed. */
export type FlowPlan = { name: string; amount: number; interval: BillingInterval };

/** A change of plan as the page shows it that asks its customer to confirm it. */
export type FlowView = {
  sessionId: string;
  merchant: string;
  returnUrl: string;
  /** `over`: what it was about has ended or has changed meanwhile. */
  state: 'open' | 'done' | 'over';
  /** What the session's maker says after it. */
  message: string | null;
  /** Null where there is nothing to confirm. */
  change: { from: FlowPlan; to: FlowPlan; currency: string; last4: string | null } | null;
  cost:
    | {
        kind: 'now';
        lines: { description: string; amount: number }[];
        /** Null where it is billed with the next invoice. */
        due: number | null;
      }
    | { kind: 'later'; at: number }
    | { kind: 'trial'; until: number }
    | null;
  error?: PageError<never> | undefined;
};

/** An invoice in the portal's history. */
export type PortalInvoice = {
  id: string;
  created: number;
  amount: number;
  currency: string;
  status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
};

/** An invoice as its own page shows it. */
export type InvoiceView = {
  merchant: string;
  invoiceId: string;
  number: string;
  created: number;
  status: PortalInvoice['status'];
  currency: string;
  total: number;
  amountDue: number;
  lines: { description: string; amount: number }[];
  /** The card on file that it would be paid with. */
  last4: string | null;
  /** Why the last attempt failed. */
  error?: string | undefined;
};

/** A customer's portal session as its page shows it. */
export type PortalView = {
  merchant: string;
  customerEmail: string | null;
  returnUrl: string;
  subscriptions: PortalSubscription[];
  /** What cancelling does here (the portal configuration's `subscription_cancel`); at period end if absent. */
  cancellation?: 'at_period_end' | 'immediately' | 'off' | undefined;
  paymentMethod: { brand: string; last4: string } | null;
  /** Whether another card can be given here; it can if absent. */
  cardUpdate?: boolean | undefined;
  /** `null` where the portal's configuration shows none. */
  invoices: PortalInvoice[] | null;
  /** A refusal of the last action. `field: 'number'` opens the card form again. */
  error?: PageError<'number' | 'exp' | 'cvc'> | undefined;
  /** What the last action did ("Your plan ends on …"). */
  notice?: string | undefined;
};
